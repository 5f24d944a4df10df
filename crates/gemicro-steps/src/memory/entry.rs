//! Something that is remembered, wherever it is.

use gemicro_batch::types::MemoryPlace;
use gemicro_event::Timestamp;

/// One thing that is remembered, without secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MemoryEntry {
    pub(super) place: MemoryPlace,
    /// From when it is.
    pub(super) at: Timestamp,
    /// What stands above it: headings, an author, a question. Searched as well.
    pub(super) title: String,
    pub(super) text: String,
}
