//! Log lines on stderr, only when somebody asked for them or nobody watches, and never with a secret.

use std::io::{self, Write};
use std::sync::Arc;

use gemicro_event::redact::Redactor;
use tracing_subscriber::EnvFilter;

use crate::environment::Environment;

/// Who may read log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Readers {
    /// Whoever waits for a command: it says what it has to say itself.
    Caller,
    /// Whoever looks for the cause later: a worker has nobody to tell.
    Later,
}

/// Starts logging with `--verbose` or `GEMICRO_LOG` (a filter such as `gemicro_store=debug`); a worker always tells what
/// went wrong.
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
    // Nobody else sets one in this program.
    let _ = tracing::subscriber::set_global_default(subscriber);
}

/// Writes log lines without secrets: other crates log what they are sent.
struct CleanWriter {
    redactor: Arc<Redactor>,
}

impl Write for CleanWriter {
    /// A log line comes in one piece. One that cannot be written, as on a full disk, stops nothing.
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
