//! How much one search may read and tell.

use std::time::Duration;

/// The bounds of one search.
#[derive(Debug, Clone, Copy)]
pub(super) struct SearchBounds {
    /// Bytes of the memory file.
    pub(super) file_bytes: u64,
    /// Conversations, those that were begun last.
    pub(super) conversations: usize,
    pub(super) runs: usize,
    /// Bytes of events of conversations and runs together.
    pub(super) stored_bytes: usize,
    /// Bytes of one entry that are searched.
    pub(super) entry_bytes: usize,
    /// Bytes that are shown of one entry.
    pub(super) excerpt_bytes: usize,
    /// Bytes of the whole text.
    pub(super) summary_bytes: usize,
    /// Time for conversations and runs.
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
