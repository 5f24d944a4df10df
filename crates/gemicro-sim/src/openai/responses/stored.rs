//! Stores conversations in the simulator, for `previous_response_id`.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

/// Maximum number of stored conversations; the oldest are removed first.
const KEPT: usize = 1024;

/// All conversations of a simulator, up to a limit.
#[derive(Debug)]
pub(crate) struct ResponseStore {
    kept: Mutex<StoredResponse>,
}

#[derive(Debug, Default)]
struct StoredResponse {
    by_id: HashMap<String, Arc<Vec<Value>>>,
    order: VecDeque<String>,
}

impl ResponseStore {
    pub(crate) fn new() -> Self {
        Self {
            kept: Mutex::new(StoredResponse::default()),
        }
    }

    pub(crate) fn reset(&self) {
        *self.lock_entries() = StoredResponse::default();
    }

    /// Returns all items up to and including a response.
    pub(super) fn get(&self, id: &str) -> Option<Arc<Vec<Value>>> {
        self.lock_entries().by_id.get(id).cloned()
    }

    pub(super) fn insert(&self, id: String, items: Vec<Value>) {
        let mut kept = self.lock_entries();
        kept.order.push_back(id.clone());
        kept.by_id.insert(id, Arc::new(items));
        while kept.order.len() > KEPT {
            if let Some(oldest) = kept.order.pop_front() {
                kept.by_id.remove(&oldest);
            }
        }
    }

    fn lock_entries(&self) -> MutexGuard<'_, StoredResponse> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
