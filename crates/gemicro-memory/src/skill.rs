//! A skill: instructions with a name, in the format of Agent Skills.
//!
//! A skill is stored as an entry of the memory: its description is the entry's text, and [`SkillText`] the rest. This
//! file checks and writes `SKILL.md`; which folders contain it is decided in `skill_files`.

use gemicro_event::text::is_hidden;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::entry::MemoryEntry;
use crate::error::MemoryError;
use crate::text::check_text;

/// Maximum length of a name.
const NAME_CHARS: usize = 64;
/// Maximum length of a description, in characters.
const DESCRIPTION_CHARS: usize = 1_024;
/// Maximum size of the instructions. Prompts contain them as a whole.
pub const SKILL_BYTES: usize = 8 * 1_024;

/// The name and the instructions of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkillText {
    /// Lower-case letters, digits and single hyphens; also the name of its folder.
    pub name: String,
    /// The instructions, in Markdown.
    pub body: String,
    /// Counted from 1; an edit makes a new version.
    pub version: u32,
}

/// A skill as an agent or the owner writes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are those of the format")]
pub struct NewSkill {
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// The instructions, in Markdown.
    pub body: String,
}

impl NewSkill {
    /// Checks the format. The name has no slash and no dot, so that the skill's folder cannot be outside the folder of
    /// skills.
    ///
    /// # Errors
    /// When name, description or body is not allowed.
    pub fn check(&self) -> Result<(), MemoryError> {
        check_name(&self.name)?;
        let in_description = |why: String| MemoryError::Text {
            why: format!("of the description {why}"),
        };
        check_text(&self.description, DESCRIPTION_CHARS).map_err(|error| match error {
            MemoryError::Text { why } => in_description(why),
            other => other,
        })?;
        let why = if self.body.trim().is_empty() {
            "is empty".to_owned()
        } else if self.body.len() > SKILL_BYTES {
            format!(
                "has {} bytes, but at most {SKILL_BYTES} are allowed",
                self.body.len()
            )
        } else if self.body.chars().any(|c| is_hidden(c) && c != '\n' && c != '\t') {
            "contains control characters or invisible characters: use visible characters only".to_owned()
        } else {
            return Ok(());
        };
        Err(MemoryError::Text {
            why: format!("of the skill {why}"),
        })
    }

    /// Without white space around the description and the body.
    #[must_use]
    pub fn trim(&self) -> Self {
        Self {
            name: self.name.clone(),
            description: self.description.trim().to_owned(),
            body: self.body.trim().to_owned(),
        }
    }
}

/// Checks the name of a skill.
///
/// # Errors
/// When it is not a name in the format of Agent Skills.
pub(crate) fn check_name(name: &str) -> Result<(), MemoryError> {
    let is_part = |part: &str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    match name.len() <= NAME_CHARS && name.split('-').all(is_part) {
        true => Ok(()),
        false => Err(MemoryError::Text {
            why: format!(
                "is not a name of a skill: use at most {NAME_CHARS} lower-case letters, digits and single hyphens"
            ),
        }),
    }
}

/// The id of the entry of a skill.
pub(crate) fn id_of(name: &str) -> String {
    format!("skill-{name}")
}

impl MemoryEntry {
    /// The text of `SKILL.md`; `None` for a note.
    #[must_use]
    pub fn skill_file(&self) -> Option<String> {
        let skill = self.skill.as_ref()?;
        // A text in double quotes with JSON's escapes is also YAML.
        let description = self.text.replace('\\', "\\\\").replace('"', "\\\"");
        Some(format!(
            "---\nname: {}\ndescription: \"{description}\"\n---\n\n{}\n",
            skill.name, skill.body
        ))
    }
}

/// The text after the front matter of a `SKILL.md`; all of it if there is none.
#[must_use]
pub fn without_front_matter(text: &str) -> &str {
    let text = text.trim_start_matches('\u{feff}');
    let end = text
        .strip_prefix("---\n")
        .and_then(|rest| rest.split_once("\n---\n"));
    end.map_or(text, |(_, body)| body)
}

#[cfg(test)]
mod tests;
