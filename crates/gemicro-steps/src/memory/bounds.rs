//! Limits of a search.

use std::time::Duration;

/// The bounds of one search.
#[derive(Debug, Clone, Copy)]
pub(super) struct SearchBounds {
    /// Maximum bytes read of the memory file.
    pub(super) file_bytes: u64,
    /// Maximum number of conversations, the newest first.
    pub(super) conversations: usize,
    pub(super) runs: usize,
    /// Maximum bytes of events, over all conversations and runs.
    pub(super) stored_bytes: usize,
    /// Maximum bytes searched of one entry.
    pub(super) entry_bytes: usize,
    /// Maximum bytes shown of one entry.
    pub(super) excerpt_bytes: usize,
    /// Maximum bytes of the whole summary.
    pub(super) summary_bytes: usize,
    /// Maximum time for conversations and runs.
    pub(super) time: Duration,
}

impl Default for SearchBounds {
    fn default() -> Self {
        Self {
            file_bytes: 4 << 20,
            conversations: 200,
            runs: 1_000,
            stored_bytes: 32 << 20,
            entry_bytes: 256 << 10,
            excerpt_bytes: 800,
            summary_bytes: 128 << 10,
            time: Duration::from_secs(10),
        }
    }
}
