//! Ctrl-C, SIGTERM and a closed terminal: the first stops cleanly, the second at once.
//!
//! Who draws on the screen or watches a run says with [`at_once`] what is left to do before the second one ends the
//! process.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use gemicro_core::drive::StopSignals;
use gemicro_event::ErrorKind;
use tokio::signal::unix::{SignalKind, signal};

use crate::command_error::{CommandError, STOPPED};

/// What a user reads after the first Ctrl-C.
pub(crate) const STOPPING: &str = "stopping… (press again to stop at once)";

/// Listens from now on; the first signal suspends every run that was given these stop signals.
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

/// What is done at a second signal, in the order in which it was asked for.
static KEPT: Mutex<Vec<(u64, LastAct)>> = Mutex::new(Vec::new());
static NEXT: AtomicU64 = AtomicU64::new(0);

type LastAct = Box<dyn FnOnce() + Send>;

fn last_acts() -> MutexGuard<'static, Vec<(u64, LastAct)>> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// While it lives, something is done before a second signal ends the process.
#[must_use]
pub(crate) struct AtOnce(u64);

/// Keeps something short for the second signal: a screen to clear, a way on to name.
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
