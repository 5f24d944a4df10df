//! Limits how many agents work at once, over all processes that share a state folder.
//!
//! A slot is a lock file with a number. It is held only while an agent works, so waiting for one cannot deadlock, and
//! the system releases it when its process dies.

use std::fs::File;
use std::path::Path;
use std::time::Duration;

use gemicro_core::execute::StepCall;
use gemicro_core::flow::StepFailure;
use gemicro_event::{ErrorKind, Failure};
use rustix::fs::{FlockOperation, flock};

use super::folder::{folder_failure, make_folder};
use super::turn_result::refused_start;

/// Time between two looks for a free slot.
const PAUSE: Duration = Duration::from_millis(100);

/// The right of one agent to work.
pub(super) struct AgentSlot {
    _lock: File,
}

impl AgentSlot {
    /// Waits for one of `n_slots` slots, and reports that it waits.
    pub(super) async fn wait(state: &Path, n_slots: usize, call: &StepCall) -> Result<Self, StepFailure> {
        let folder = state.join("agents").join("slots");
        let mut is_waiting = false;
        loop {
            if let Some(slot) = Self::take(&folder, n_slots).map_err(refused_start)? {
                return Ok(slot);
            }
            if !is_waiting {
                call.reporter.alarm(format!(
                    "waiting for another agent to finish: the limit is {n_slots} (state.max_agents)"
                ));
                is_waiting = true;
            }
            tokio::select! {
                () = tokio::time::sleep(PAUSE) => {}
                () = call.cancel.cancelled() => {
                    let failure = Failure::new(ErrorKind::Cancelled, "stopped before it began");
                    return Err(StepFailure::free(failure));
                }
            }
        }
    }

    /// A slot, if one is free.
    fn take(folder: &Path, n_slots: usize) -> Result<Option<Self>, Failure> {
        make_folder(folder)?;
        for number in 0..n_slots {
            let path = folder.join(format!("{number}.lock"));
            let lock = File::options()
                .write(true)
                .create(true)
                .truncate(false)
                .open(&path);
            let lock = lock.map_err(|error| folder_failure(&path, &error))?;
            if flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok() {
                return Ok(Some(Self { _lock: lock }));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_limited_and_free_again_when_dropped() {
        let state = tempfile::tempdir().unwrap();
        let take = || AgentSlot::take(state.path(), 2).unwrap();
        let (first, second) = (take(), take());
        assert!(first.is_some() && second.is_some());
        assert!(take().is_none());
        drop(first);
        assert!(take().is_some());
    }
}
