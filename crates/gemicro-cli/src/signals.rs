//! Ctrl-C, SIGTERM and a closed terminal: the first stops cleanly, the second at once.

use gemicro_core::drive::StopSignals;
use gemicro_event::ErrorKind;
use tokio::signal::unix::{SignalKind, signal};

use crate::trouble::{STOPPED, Stopped};

/// What a user reads after the first Ctrl-C.
pub(crate) const STOPPING: &str = "stopping… (again: at once)";

/// Listens from now on; the first signal suspends every run that was given these stop signals.
pub(crate) fn listen() -> Result<StopSignals, Stopped> {
    let failed = |error: std::io::Error| {
        Stopped::failed(
            ErrorKind::Internal,
            format!("signals cannot be received: {error}"),
            "please report it",
        )
    };
    let mut interrupts = signal(SignalKind::interrupt()).map_err(failed)?;
    let mut terminations = signal(SignalKind::terminate()).map_err(failed)?;
    let mut hangups = signal(SignalKind::hangup()).map_err(failed)?;
    let stop = StopSignals::default();
    let suspend = stop.suspend.clone();
    tokio::spawn(async move {
        let mut n_signals = 0;
        loop {
            tokio::select! {
                Some(()) = interrupts.recv() => {}
                Some(()) = terminations.recv() => {}
                Some(()) = hangups.recv() => {}
                else => return,
            }
            n_signals += 1;
            if n_signals > 1 {
                std::process::exit(i32::from(STOPPED));
            }
            suspend.cancel();
        }
    });
    Ok(stop)
}
