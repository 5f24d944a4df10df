//! An entry of the memory file, a conversation or a run.

use gemicro_batch::types::MemoryPlace;
use gemicro_event::Timestamp;

/// A memory entry, with secrets redacted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SearchedEntry {
    pub(super) place: MemoryPlace,
    pub(super) at: Timestamp,
    /// Headings, an author or a question. Searched too.
    pub(super) title: String,
    pub(super) text: String,
}
