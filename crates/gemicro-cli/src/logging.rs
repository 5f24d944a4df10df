//! Log lines on stderr, only on request or in the background, and never with a secret.

use std::io::{self, Write};
use std::sync::Arc;

use gemicro_event::redact::Redactor;
use tracing_subscriber::EnvFilter;

use crate::environment::Environment;

/// The readers of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Readers {
    /// The caller of a command, which prints its own errors.
    Caller,
    /// A person who looks for a cause later: a worker has no caller.
    Later,
}

/// Starts logging with `--verbose` or `GEMICRO_LOG` (a filter such as `gemicro_store=debug`); a worker always logs
/// errors.
pub(crate) fn start(environment: &Environment, verbose: bool, readers: Readers) {
    let filter = match (environment.get("GEMICRO_LOG"), verbose, readers) {
        (Some(filter), _, _) => filter,
        (None, true, _) => {
            "warn,gemicro_core=info,gemicro_store=info,gemicro_source=info,gemicro_engine=info"
        }
        (None, false, Readers::Later) => "warn,sqlx=error,gemicro_engine=info",
        (None, false, Readers::Caller) => return,
    };
    let redactor = Arc::new(Redactor::new(environment.secrets()));
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(filter))
        .with_writer(move || CleanWriter {
            redactor: redactor.clone(),
        })
        .with_ansi(false)
        .finish();
    // No other code in this program sets one.
    let _ = tracing::subscriber::set_global_default(subscriber);
}

/// Writes log lines without secrets: other crates log the data they receive.
struct CleanWriter {
    redactor: Arc<Redactor>,
}

impl Write for CleanWriter {
    /// Each call is one whole log line. A write error, such as a full disk, is ignored.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(line);
        let _ = io::stderr().write_all(self.redactor.redact(&text).as_bytes());
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let _ = io::stderr().flush();
        Ok(())
    }
}
