//! Settings of a store.

use std::time::Duration;

/// Options of a store.
#[derive(Debug, Clone)]
pub struct StoreOptions {
    /// Maximum time to wait for another process that is writing.
    pub busy_timeout: Duration,
    /// Maximum size of the database; beyond it, appends fail with
    /// [`StoreError::Full`](gemicro_core::store::StoreError::Full).
    pub max_bytes: Option<u64>,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            busy_timeout: Duration::from_secs(10),
            max_bytes: None,
        }
    }
}
