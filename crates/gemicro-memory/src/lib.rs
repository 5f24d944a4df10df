//! The memory of a project: short notes that later agents are given.
//!
//! # Theory of operation
//!
//! A project has one stream of [`MemoryChanged`] events, and [`Memory`] is their fold. [`ProjectMemory`] is the
//! stream together with the project's folder: it shows the live entries in `AGENT_MEMORY.md` and reads the owner's
//! changes of that file back. The file names the event that it shows, so what the owner changed is the difference
//! between the file and the memory at that event; a kill between an event and the file loses nothing. Events are
//! idempotent and entry ids follow from the text, so that two processes need no lock.
//!
//! A skill is an entry with a name and instructions ([`SkillText`]): it is proposed, approved and selected in the same
//! way, but `SKILL.md` files show it instead of `AGENT_MEMORY.md`.
//!
//! What an agent proposes is never live before a person approves it: only [`Memory::live`] entries are shown in the
//! file, and only they are selected for prompts ([`select`]). This crate starts no process and calls no model.

mod blocks;
mod changes;
mod entry;
mod error;
mod events;
mod file;
mod hand_edits;
mod memory;
mod project;
mod render;
mod select;
mod skill;
mod skill_changes;
mod skill_files;
mod text;

pub use blocks::{FileBlock, FileBlockKind, blocks};
pub use changes::{EntryDecision, EntryEdit, NewEntry};
pub use entry::{EntryAuthor, EntryState, EntryTrust, MemoryEntry, MemoryKind};
pub use error::MemoryError;
pub use events::{EntryChange, MemoryChanged, MemoryReaders, register};
pub use file::{FILE, read_bytes};
pub use memory::Memory;
pub use project::{MemoryUpdate, ProjectMemory, SkillUpdate, project_of};
pub use select::{find, select};
pub use skill::{NewSkill, SKILL_BYTES, SkillText, without_front_matter};
pub use skill_changes::SkillEdit;
pub use skill_files::SKILL_FOLDERS;
pub use text::{LESSON_CHARS, MAX_LESSONS, check_text, clean_lessons};
