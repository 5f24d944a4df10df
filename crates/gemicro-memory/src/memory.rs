//! The entries of a project, folded from their events.

use std::collections::BTreeMap;

use gemicro_event::{AgentUpdate, StreamId, Timestamp};
use sha2::{Digest, Sha256};

use crate::entry::{EntryAuthor, EntryState, EntryTrust, MemoryEntry, MemoryKind};
use crate::error::MemoryError;
use crate::events::{EntryChange, MemoryChanged, MemoryReaders};

/// Digits of a new id.
const ID_DIGITS: usize = 6;

/// All entries of a project.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Memory {
    entries: BTreeMap<String, MemoryEntry>,
    /// Earlier versions of each skill, oldest first.
    earlier: BTreeMap<String, Vec<MemoryEntry>>,
}

impl Memory {
    /// Applies an event; others are ignored.
    pub fn apply(&mut self, update: &AgentUpdate) {
        if let Some(changed) = update.as_memory_changed() {
            self.change(changed);
        }
    }

    /// Applies a change. A proposal never replaces an entry: a person may have decided about it already.
    pub(crate) fn change(&mut self, changed: MemoryChanged) {
        let id = &changed.entry.id;
        if changed.change == EntryChange::Proposed && self.entries.contains_key(id) {
            return;
        }
        let id = id.clone();
        let new_version = changed.entry.skill.as_ref().map(|skill| skill.version);
        if let Some(before) = self.entries.insert(id.clone(), changed.entry)
            && before.skill.as_ref().map(|skill| skill.version) != new_version
        {
            self.earlier.entry(id).or_default().push(before);
        }
    }

    /// All notes, newest first.
    #[must_use]
    pub fn entries(&self) -> Vec<&MemoryEntry> {
        self.newest_first(|entry| entry.skill.is_none())
    }

    /// All skills, newest first.
    #[must_use]
    pub fn skills(&self) -> Vec<&MemoryEntry> {
        self.newest_first(|entry| entry.skill.is_some())
    }

    /// All versions of a skill, oldest first.
    #[must_use]
    pub fn versions<'m>(&'m self, skill: &'m MemoryEntry) -> Vec<&'m MemoryEntry> {
        let earlier = self.earlier.get(&skill.id).into_iter().flatten();
        earlier.chain([skill]).collect()
    }

    fn newest_first(&self, is_wanted: impl Fn(&MemoryEntry) -> bool) -> Vec<&MemoryEntry> {
        let mut entries: Vec<&MemoryEntry> = self.entries.values().filter(|it| is_wanted(it)).collect();
        entries.sort_by(|a, b| (b.created_at, &a.id).cmp(&(a.created_at, &b.id)));
        entries
    }

    /// The skills that count now, newest first.
    #[must_use]
    pub fn live_skills(&self, now: Timestamp) -> Vec<&MemoryEntry> {
        let mut skills = self.skills();
        skills.retain(|skill| self.state(skill, now) == EntryState::Live);
        skills
    }

    /// The notes that count now, newest first.
    #[must_use]
    pub fn live(&self, now: Timestamp) -> Vec<&MemoryEntry> {
        let superseders: Vec<&MemoryEntry> = self.superseders().collect();
        let is_live =
            |entry: &&MemoryEntry| state(entry, superseders.iter().copied(), now) == EntryState::Live;
        self.entries().into_iter().filter(is_live).collect()
    }

    /// What became of an entry.
    #[must_use]
    pub fn state(&self, entry: &MemoryEntry, now: Timestamp) -> EntryState {
        state(entry, self.superseders(), now)
    }

    fn superseders(&self) -> impl Iterator<Item = &MemoryEntry> {
        self.entries.values().filter(|entry| entry.supersedes.is_some())
    }

    /// The note with this id, or the only one whose id begins like this.
    ///
    /// # Errors
    /// When none or several match.
    pub fn find(&self, id: &str) -> Result<&MemoryEntry, MemoryError> {
        let mut matching = self.entries();
        matching.retain(|entry| !id.is_empty() && entry.id.starts_with(id));
        matching.sort_by(|a, b| a.id.cmp(&b.id));
        match matching.as_slice() {
            [exact, ..] if exact.id == id => Ok(exact),
            [only] => Ok(only),
            [] => Err(MemoryError::NotFound { id: id.to_owned() }),
            several => Err(MemoryError::Ambiguous {
                id: id.to_owned(),
                found: several
                    .iter()
                    .map(|it| it.id.as_str())
                    .collect::<Vec<_>>()
                    .join(", "),
            }),
        }
    }

    pub(crate) fn get(&self, id: &str) -> Option<&MemoryEntry> {
        self.entries.get(id)
    }

    /// A new entry. Its id follows from its text, so that two processes that add the same text add one entry.
    #[must_use]
    pub fn new_entry(
        &self,
        (kind, text): (MemoryKind, &str),
        author: EntryAuthor,
        run: Option<StreamId>,
        now: Timestamp,
    ) -> MemoryEntry {
        MemoryEntry {
            id: self.id_for(text),
            kind,
            text: text.to_owned(),
            trust: author.initial_trust(),
            author,
            run,
            created_at: now,
            updated_at: now,
            supersedes: None,
            expires_at: None,
            pinned: false,
            skill: None,
        }
    }

    /// The shortest id of a text that no entry with another text has.
    fn id_for(&self, text: &str) -> String {
        let digest = Sha256::digest(text.as_bytes());
        let digits: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let lengths = ID_DIGITS..digits.len();
        let mut ids = lengths.map(|length| format!("m{}", &digits[..length]));
        let is_free = |id: &String| self.entries.get(id).is_none_or(|entry| entry.text == text);
        ids.find(is_free).unwrap_or_else(|| format!("m{digits}"))
    }
}

/// What became of an entry, given the entries that replace others.
fn state<'m>(
    entry: &MemoryEntry,
    mut superseders: impl Iterator<Item = &'m MemoryEntry>,
    now: Timestamp,
) -> EntryState {
    match entry.trust {
        EntryTrust::Proposed => EntryState::Proposed,
        EntryTrust::Rejected => EntryState::Rejected,
        EntryTrust::Expired => EntryState::Expired,
        EntryTrust::Live if !counts(entry, now) => EntryState::Expired,
        EntryTrust::Live => {
            let hides = |other: &MemoryEntry| {
                other.supersedes.as_ref() == Some(&entry.id)
                    && counts(other, now)
                    && (other.created_at, &other.id) > (entry.created_at, &entry.id)
            };
            match superseders.any(hides) {
                true => EntryState::Superseded,
                false => EntryState::Live,
            }
        }
    }
}

/// Whether an entry is approved and its date has not passed.
fn counts(entry: &MemoryEntry, now: Timestamp) -> bool {
    entry.trust == EntryTrust::Live && entry.expires_at.is_none_or(|at| at > now)
}
