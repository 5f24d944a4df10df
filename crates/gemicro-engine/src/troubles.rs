//! Keeps the runs that were stopped by their store: a full disk, or a server that is down.
//!
//! Nothing is wrong with such a run. Its run service retries it with growing delays, and reports the problem to
//! callers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use gemicro_event::{ErrorKind, Failure, StreamId};

/// Wait after the first failure; it doubles each time.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// The runs of a run service that wait for their store.
#[derive(Debug, Clone, Default)]
pub(crate) struct Troubles {
    by_run: Arc<Mutex<HashMap<StreamId, RunTrouble>>>,
}

#[derive(Debug)]
struct RunTrouble {
    failure: Failure,
    n_times: u32,
    next_at: Instant,
}

impl Troubles {
    /// Keeps a run that was stopped by its store; other failures are ignored.
    pub(crate) fn note(&self, run: &StreamId, failure: &Failure, now: Instant) {
        if failure.kind != ErrorKind::StorageError {
            return;
        }
        let mut troubles = self.lock();
        let n_times = troubles.get(run).map_or(0, |before| before.n_times) + 1;
        let wait = FIRST_WAIT
            .saturating_mul(1 << (n_times - 1).min(10))
            .min(LONGEST_WAIT);
        tracing::warn!(%run, %failure, tried = n_times, again_in_s = wait.as_secs(), "a run waits for its store");
        let trouble = RunTrouble {
            failure: failure.clone(),
            n_times,
            next_at: now + wait,
        };
        troubles.insert(run.clone(), trouble);
    }

    /// Removes a run that continues or has ended.
    pub(crate) fn forget(&self, run: &StreamId) {
        self.lock().remove(run);
    }

    /// Runs that are due for a retry.
    pub(crate) fn due(&self, now: Instant) -> Vec<StreamId> {
        let troubles = self.lock();
        let due = troubles.iter().filter(|(_, trouble)| trouble.next_at <= now);
        due.map(|(run, _)| run.clone()).collect()
    }

    /// The problem that blocks a run now.
    pub(crate) fn of(&self, run: &StreamId) -> Option<Failure> {
        self.lock().get(run).map(|trouble| trouble.failure.clone())
    }

    pub(crate) fn runs(&self) -> Vec<StreamId> {
        self.lock().keys().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<StreamId, RunTrouble>> {
        self.by_run.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
