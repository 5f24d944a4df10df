//! Turns what a person or an agent wants into changes of the memory.

use gemicro_event::{StreamId, Timestamp};

use crate::entry::{EntryAuthor, EntryState, EntryTrust, MemoryEntry, MemoryKind};
use crate::error::MemoryError;
use crate::events::{EntryChange, MemoryChanged};
use crate::memory::Memory;
use crate::text::{ENTRY_CHARS, check_text, clean_lessons};

/// An entry that the owner adds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEntry {
    /// What sort of note it is.
    pub kind: MemoryKind,
    /// The note: one line.
    pub text: String,
    /// Whether it comes first in every prompt.
    pub pinned: bool,
    /// The entry that it replaces: its id, or the start of it.
    pub supersedes: Option<String>,
    /// When it stops being live.
    pub expires_at: Option<Timestamp>,
}

/// What the owner changes about an entry; `None` leaves it as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are those of an entry")]
pub struct EntryEdit {
    pub text: Option<String>,
    pub kind: Option<MemoryKind>,
    pub pinned: Option<bool>,
    pub expires_at: Option<Timestamp>,
}

/// A decision of the owner about an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryDecision {
    /// A proposed or rejected entry becomes live.
    Approve,
    /// A proposed entry never becomes live.
    Reject,
    /// A live entry stops being live.
    Expire,
}

impl Memory {
    /// Adds an entry of the owner. A text that was proposed, rejected or expired becomes live.
    ///
    /// # Errors
    /// When the text is not allowed or live already, or there is no entry to replace.
    pub fn add(&self, new: NewEntry, now: Timestamp) -> Result<MemoryChanged, MemoryError> {
        let text = new.text.trim();
        check_text(text, ENTRY_CHARS)?;
        if let Some(same) = self.live(now).into_iter().find(|entry| entry.text == text) {
            return Err(wrong_state(same, EntryState::Live, "it has this text already"));
        }
        let supersedes = match &new.supersedes {
            Some(id) => Some(self.find(id)?.id.clone()),
            None => None,
        };
        let entry = MemoryEntry {
            pinned: new.pinned,
            supersedes,
            expires_at: new.expires_at,
            ..self.new_entry((new.kind, text), EntryAuthor::User, None, now)
        };
        Ok(by_user(EntryChange::Added, entry))
    }

    /// Changes an entry; one that is proposed stays so.
    ///
    /// # Errors
    /// When there is no such entry or the text is not allowed.
    pub fn edit(&self, id: &str, edit: EntryEdit, now: Timestamp) -> Result<MemoryChanged, MemoryError> {
        let before = self.find(id)?;
        let text = edit.text.as_deref().map_or(before.text.as_str(), str::trim);
        check_text(text, ENTRY_CHARS)?;
        let entry = MemoryEntry {
            text: text.to_owned(),
            kind: edit.kind.unwrap_or(before.kind),
            pinned: edit.pinned.unwrap_or(before.pinned),
            expires_at: edit.expires_at.or(before.expires_at),
            updated_at: now,
            ..before.clone()
        };
        Ok(by_user(EntryChange::Edited, entry))
    }

    /// Applies a decision of the owner.
    ///
    /// # Errors
    /// When there is no such entry, or its state does not allow the decision.
    pub fn decide(
        &self,
        id: &str,
        decision: EntryDecision,
        now: Timestamp,
    ) -> Result<MemoryChanged, MemoryError> {
        self.decide_entry(self.find(id)?, decision, now)
    }

    /// Applies a decision of the owner to a note or a skill.
    pub(crate) fn decide_entry(
        &self,
        before: &MemoryEntry,
        decision: EntryDecision,
        now: Timestamp,
    ) -> Result<MemoryChanged, MemoryError> {
        let state = self.state(before, now);
        let (end, ended) = match before.skill {
            Some(_) => ("gemicro skills remove", "removed"),
            None => ("gemicro memory expire", "expired"),
        };
        let (change, trust) = match (decision, state) {
            (EntryDecision::Approve, EntryState::Proposed | EntryState::Rejected) => {
                (EntryChange::Approved, EntryTrust::Live)
            }
            // The name of a removed skill stays taken, so it can be restored.
            (EntryDecision::Approve, EntryState::Expired) if before.skill.is_some() => {
                (EntryChange::Approved, EntryTrust::Live)
            }
            (EntryDecision::Approve, _) => {
                return Err(wrong_state(
                    before,
                    state,
                    "only a proposed or rejected entry can be approved",
                ));
            }
            (EntryDecision::Reject, EntryState::Proposed) => (EntryChange::Rejected, EntryTrust::Rejected),
            (EntryDecision::Reject, _) => {
                let why = format!("only a proposed entry can be rejected; `{end}` ends a live one");
                return Err(wrong_state(before, state, &why));
            }
            (EntryDecision::Expire, EntryState::Live | EntryState::Superseded) => {
                (EntryChange::Expired, EntryTrust::Expired)
            }
            (EntryDecision::Expire, _) => {
                let why = format!("only a live entry can be {ended}");
                return Err(wrong_state(before, state, &why));
            }
        };
        let entry = MemoryEntry {
            trust,
            updated_at: now,
            ..before.clone()
        };
        Ok(by_user(change, entry))
    }

    /// The lessons of an agent, as proposals; those that are not allowed or known already are left out.
    #[must_use]
    pub fn propose(
        &self,
        lessons: &[&str],
        role: &str,
        run: &StreamId,
        now: Timestamp,
    ) -> Vec<MemoryChanged> {
        let author = EntryAuthor::Agent(role.to_owned());
        let is_new = |text: &String| self.entries().iter().all(|entry| entry.text != *text);
        let lessons = clean_lessons(lessons).into_iter().filter(is_new);
        lessons
            .map(|text| MemoryChanged {
                change: EntryChange::Proposed,
                by: author.clone(),
                entry: self.new_entry(
                    (MemoryKind::Lesson, &text),
                    author.clone(),
                    Some(run.clone()),
                    now,
                ),
            })
            .collect()
    }
}

pub(crate) fn by_user(change: EntryChange, entry: MemoryEntry) -> MemoryChanged {
    MemoryChanged {
        change,
        by: EntryAuthor::User,
        entry,
    }
}

fn wrong_state(entry: &MemoryEntry, state: EntryState, why: &str) -> MemoryError {
    MemoryError::WrongState {
        id: entry.id.clone(),
        state: entry.state_word(state),
        why: why.to_owned(),
    }
}
