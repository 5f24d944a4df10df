//! The shared state of all calls to a worker.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use gemicro_event::Timestamp;
use tokio_util::sync::CancellationToken;

use super::run_services::RunServices;
use super::wire::BinaryId;

/// The shared state of all calls to a worker.
pub(super) struct WorkerState {
    pub(super) desks: RunServices,
    pub(super) binary: BinaryId,
    pub(super) program: String,
    pub(super) since: Timestamp,
    pub(super) leave: CancellationToken,
    pub(super) n_calls: AtomicUsize,
    last_call: Mutex<Instant>,
}

impl WorkerState {
    pub(super) fn new(desks: RunServices, binary: BinaryId, program: String) -> Self {
        Self {
            desks,
            binary,
            program,
            since: Timestamp::now(),
            leave: CancellationToken::new(),
            n_calls: AtomicUsize::new(0),
            last_call: Mutex::new(Instant::now()),
        }
    }

    /// Whether it drives runs, or has runs waiting for their store.
    pub(super) fn is_busy(&self) -> bool {
        !self.desks.runs().is_empty()
            || self
                .desks
                .all()
                .iter()
                .any(|here| !here.troubles().runs().is_empty())
    }

    pub(super) fn is_needed(&self, linger: Duration) -> bool {
        self.n_calls.load(Ordering::Relaxed) > 0
            || self.is_busy()
            || self.desks.commons().has_warm()
            || self
                .desks
                .all()
                .iter()
                .any(|here| here.engine().has_notifications())
            || self.last_call().elapsed() < linger
    }

    fn last_call(&self) -> Instant {
        *self.last_call.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that a client watched a run to its end.
    pub(super) fn note_answer(&self) {
        self.note_call();
        self.desks.commons().note_answer();
    }

    /// Records that the worker is needed; a status request does not count.
    pub(super) fn note_call(&self) {
        *self.last_call.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }
}
