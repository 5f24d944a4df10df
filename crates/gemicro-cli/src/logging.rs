//! Log lines on stderr, only when somebody asked for them, and never with a secret.

use std::io::{self, Write};
use std::sync::Arc;

use gemicro_event::redact::Redactor;
use tracing_subscriber::EnvFilter;

use crate::environment::Environment;

/// Starts logging with `--verbose` or `GEMICRO_LOG` (a filter such as `gemicro_store=debug`).
pub(crate) fn start(environment: &Environment, verbose: bool) {
    let filter = match (environment.get("GEMICRO_LOG"), verbose) {
        (Some(filter), _) => filter,
        (None, true) => "warn,gemicro_core=info,gemicro_store=info,gemicro_source=info,gemicro_engine=info",
        (None, false) => return,
    };
    let redactor = Arc::new(Redactor::new(environment.secrets()));
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(filter))
        .with_writer(move || Clean {
            redactor: redactor.clone(),
        })
        .with_ansi(false)
        .finish();
    // Nobody else sets one in this program.
    let _ = tracing::subscriber::set_global_default(subscriber);
}

/// Writes log lines without secrets: other crates log what they are sent.
struct Clean {
    redactor: Arc<Redactor>,
}

impl Write for Clean {
    /// A log line comes in one piece.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(line);
        io::stderr().write_all(self.redactor.redact(&text).as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}
