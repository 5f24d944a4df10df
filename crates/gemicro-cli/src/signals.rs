//! Ctrl-C, SIGTERM and a closed terminal: the first stops cleanly, the second at once.
//!
//! Code that draws on the screen or watches a run registers with [`at_once`] what must be done before the second signal
//! ends the process.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use gemicro_core::drive::StopSignals;
use gemicro_event::ErrorKind;
use tokio::signal::unix::{SignalKind, signal};

use crate::command_error::{CommandError, STOPPED};

/// The message after the first Ctrl-C.
pub(crate) const STOPPING: &str = "stopping… (press again to stop at once)";

/// Listens from now on; the first signal suspends every run that has these stop signals.
pub(crate) fn listen() -> Result<StopSignals, CommandError> {
    let failed = |error: std::io::Error| {
        CommandError::new_failure(
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
                let last = std::mem::take(&mut *last_acts());
                last.into_iter().for_each(|(_, act)| act());
                std::process::exit(i32::from(STOPPED));
            }
            suspend.cancel();
        }
    });
    Ok(stop)
}

/// The actions for a second signal, in the order in which they were registered.
static KEPT: Mutex<Vec<(u64, LastAct)>> = Mutex::new(Vec::new());
static NEXT: AtomicU64 = AtomicU64::new(0);

type LastAct = Box<dyn FnOnce() + Send>;

fn last_acts() -> MutexGuard<'static, Vec<(u64, LastAct)>> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps an action registered for the second signal; dropping it removes the action.
#[must_use]
pub(crate) struct AtOnce(u64);

/// Registers a short action for the second signal, such as clearing the screen or printing how to resume.
pub(crate) fn at_once(act: impl FnOnce() + Send + 'static) -> AtOnce {
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    last_acts().push((number, Box::new(act)));
    AtOnce(number)
}

impl Drop for AtOnce {
    fn drop(&mut self) {
        last_acts().retain(|(number, _)| *number != self.0);
    }
}
