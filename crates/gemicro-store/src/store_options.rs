//! Settings of a store.

use std::time::Duration;

/// How a store behaves.
#[derive(Debug, Clone)]
pub struct StoreOptions {
    /// How long to wait for another process that is writing.
    pub busy_timeout: Duration,
    /// The database never grows past this; an append that would gives [`StoreError::Full`](gemicro_core::store::StoreError::Full).
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
