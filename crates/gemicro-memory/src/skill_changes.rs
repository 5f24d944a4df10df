//! Turns what a person or an agent wants into changes of the skills.

use gemicro_event::{StreamId, Timestamp};

use crate::changes::{EntryDecision, by_user};
use crate::entry::{EntryAuthor, MemoryEntry, MemoryKind};
use crate::error::MemoryError;
use crate::events::{EntryChange, MemoryChanged};
use crate::memory::Memory;
use crate::skill::{NewSkill, SkillText, id_of};

/// What the owner changes about a skill; `None` leaves it as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are those of a skill")]
pub struct SkillEdit {
    pub description: Option<String>,
    pub body: Option<String>,
}

impl Memory {
    /// The skill with this name.
    ///
    /// # Errors
    /// When there is none.
    pub fn find_skill(&self, name: &str) -> Result<&MemoryEntry, MemoryError> {
        let found = self.get(&id_of(name));
        found.ok_or_else(|| MemoryError::NoSkill {
            name: name.to_owned(),
        })
    }

    /// Applies a decision of the owner about a skill.
    ///
    /// # Errors
    /// When there is no such skill, or its state does not allow the decision.
    pub fn decide_skill(
        &self,
        name: &str,
        decision: EntryDecision,
        now: Timestamp,
    ) -> Result<MemoryChanged, MemoryError> {
        self.decide_entry(self.find_skill(name)?, decision, now)
    }

    /// Makes a new version of a skill; one that is proposed stays so.
    ///
    /// # Errors
    /// When there is no such skill, or the result is not allowed.
    pub fn edit_skill(
        &self,
        name: &str,
        edit: SkillEdit,
        now: Timestamp,
    ) -> Result<MemoryChanged, MemoryError> {
        let before = self.find_skill(name)?;
        let (old_body, version) = before
            .skill
            .as_ref()
            .map_or(("", 0), |skill| (skill.body.as_str(), skill.version));
        let new = NewSkill {
            name: name.to_owned(),
            description: edit.description.unwrap_or_else(|| before.text.clone()),
            body: edit.body.unwrap_or_else(|| old_body.to_owned()),
        }
        .trim();
        new.check()?;
        let entry = MemoryEntry {
            text: new.description,
            skill: Some(SkillText {
                name: new.name,
                body: new.body,
                version: version + 1,
            }),
            updated_at: now,
            ..before.clone()
        };
        Ok(by_user(EntryChange::Edited, entry))
    }

    /// A skill of an agent, as a proposal; `None` if it is not allowed or the name is taken, whatever became of the
    /// skill with that name.
    #[must_use]
    pub fn propose_skill(
        &self,
        new: &NewSkill,
        role: &str,
        run: &StreamId,
        now: Timestamp,
    ) -> Option<MemoryChanged> {
        let new = new.trim();
        let id = id_of(&new.name);
        if new.check().is_err() || self.get(&id).is_some() {
            return None;
        }
        let author = EntryAuthor::Agent(role.to_owned());
        let entry = self.new_entry(
            (MemoryKind::Skill, &new.description),
            author.clone(),
            Some(run.clone()),
            now,
        );
        let entry = MemoryEntry {
            id,
            skill: Some(SkillText {
                name: new.name,
                body: new.body,
                version: 1,
            }),
            ..entry
        };
        Some(MemoryChanged {
            change: EntryChange::Proposed,
            by: author,
            entry,
        })
    }
}
