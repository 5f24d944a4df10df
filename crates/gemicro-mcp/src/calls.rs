//! Tracks which calls the client cancelled.
//!
//! The SDK's own token of a request is also cancelled when the connection closes; a run must survive that.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::RequestId;
use tokio_util::sync::CancellationToken;

/// Maximum number of early cancellations kept: a notification may be handled before its request.
const MAX_EARLY: usize = 64;

/// The running calls of one connection.
#[derive(Debug, Clone, Default)]
pub(crate) struct OpenCalls {
    state: Arc<Mutex<CallsState>>,
}

#[derive(Debug, Default)]
struct CallsState {
    running: HashMap<RequestId, CancellationToken>,
    early: VecDeque<RequestId>,
}

/// A running call; removed when this is dropped.
#[derive(Debug)]
pub(crate) struct RunningCall {
    calls: OpenCalls,
    id: RequestId,
    /// Cancelled when the client cancels the call.
    pub(crate) withdrawn: CancellationToken,
}

impl OpenCalls {
    /// Begins a call; `None` if a call with this id is running. Transports refuse such a call earlier; this covers a
    /// client that lost the connection of the first call.
    pub(crate) fn begin(&self, id: &RequestId) -> Option<RunningCall> {
        let withdrawn = CancellationToken::new();
        let mut state = self.state();
        if state.running.contains_key(id) {
            return None;
        }
        if let Some(idx) = state.early.iter().position(|early| early == id) {
            state.early.remove(idx);
            withdrawn.cancel();
        }
        state.running.insert(id.clone(), withdrawn.clone());
        Some(RunningCall {
            calls: self.clone(),
            id: id.clone(),
            withdrawn,
        })
    }

    /// Records that the client cancelled a call.
    pub(crate) fn withdraw(&self, id: &RequestId) {
        let mut state = self.state();
        if let Some(withdrawn) = state.running.get(id) {
            withdrawn.cancel();
            return;
        }
        if state.early.len() == MAX_EARLY {
            state.early.pop_front();
        }
        state.early.push_back(id.clone());
    }

    fn state(&self) -> MutexGuard<'_, CallsState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        self.calls.state().running.remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notification_may_overtake_its_request() {
        let calls = OpenCalls::default();
        let begin = |n| calls.begin(&RequestId::Number(n)).expect("no call has this id");
        let first = begin(1);
        assert!(calls.begin(&RequestId::Number(1)).is_none());
        calls.withdraw(&RequestId::Number(1));
        assert!(first.withdrawn.is_cancelled());
        drop(first);
        calls.withdraw(&RequestId::Number(2));
        assert!(begin(2).withdrawn.is_cancelled());
        assert!(!begin(3).withdrawn.is_cancelled());
        for n in 0..1_000 {
            calls.withdraw(&RequestId::Number(n));
        }
        assert!(calls.state().early.len() <= MAX_EARLY && calls.state().running.is_empty());
    }
}
