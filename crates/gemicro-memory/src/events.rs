//! The event of the memory.

use gemicro_event::{event_payload, event_readers, text};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::entry::{EntryAuthor, MemoryEntry};

/// An entry of a project's memory was added or changed. Recorded in the project's memory stream, by the command of a
/// person, by a pipeline step for what an agent proposed, or when the owner changed `AGENT_MEMORY.md`. Safe to apply
/// twice: it contains the whole entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryChanged {
    /// What happened to the entry.
    pub change: EntryChange,
    /// The author of the change: `user`, `gemicro`, or `agent:` and a role.
    #[schemars(with = "String")]
    pub by: EntryAuthor,
    /// The entry after the change.
    pub entry: MemoryEntry,
}
event_payload!(MemoryChanged, "memory_changed", |it| format!(
    "Memory: {} {}: {}",
    it.change.as_str(),
    it.entry.id,
    text::shortened(&it.entry.text, 80)
));

/// What happened to an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say what happened")]
pub enum EntryChange {
    Added,
    /// By an agent; a person has not decided yet.
    Proposed,
    Approved,
    Rejected,
    Edited,
    Expired,
}

impl EntryChange {
    /// The word for people.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Proposed => "proposed",
            Self::Approved => "approved",
            Self::Rejected => "rejected",
            Self::Edited => "edited",
            Self::Expired => "expired",
        }
    }
}

event_readers! {
    /// Readers for the events of the memory.
    pub trait MemoryReaders {
        MemoryChanged => as_memory_changed, try_as_memory_changed;
    }

    /// Registers the events of the memory.
    pub fn register;
}
