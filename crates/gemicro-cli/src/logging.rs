//! Log lines on stderr, only when somebody asked for them.

use tracing_subscriber::EnvFilter;

use crate::environment::Environment;

/// Starts logging with `--verbose` or `GEMICRO_LOG` (a filter such as `gemicro_store=debug`).
pub(crate) fn start(environment: &Environment, verbose: bool) {
    let filter = match (environment.get("GEMICRO_LOG"), verbose) {
        (Some(filter), _) => filter,
        (None, true) => "warn,gemicro_core=info,gemicro_store=info,gemicro_source=info,gemicro_engine=info",
        (None, false) => return,
    };
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(filter))
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .finish();
    // Nobody else sets one in this program.
    let _ = tracing::subscriber::set_global_default(subscriber);
}
