//! One entry of the memory.

use std::fmt;
use std::str::FromStr;

use gemicro_event::{StreamId, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::skill::SkillText;

/// A note for later agents, with its origin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryEntry {
    /// `m` and hexadecimal digits, or `skill-` and the name of a skill; it stays the same when the text is edited.
    pub id: String,
    /// What sort of note it is.
    pub kind: MemoryKind,
    /// The note, or the description of a skill: one line.
    pub text: String,
    /// `user`, `gemicro`, or `agent:` and the role that proposed it.
    #[schemars(with = "String")]
    pub author: EntryAuthor,
    /// Whether prompts may contain it.
    pub trust: EntryTrust,
    /// The run that it comes from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<StreamId>,
    /// When it was added or proposed.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// The entry that it replaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub supersedes: Option<String>,
    /// When it stops being live.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// Whether it comes first in every prompt.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// The instructions of a skill; a note has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<SkillText>,
}

impl MemoryEntry {
    /// The word for its state: a skill that was ended is removed.
    #[must_use]
    pub fn state_word(&self, state: EntryState) -> &'static str {
        match (&self.skill, state) {
            (Some(_), EntryState::Expired) => "removed",
            (_, state) => state.as_str(),
        }
    }
}

/// What sort of note an entry is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum MemoryKind {
    /// What agents must do or must not do.
    Rule,
    /// What the owner likes.
    Preference,
    /// Something true about the project.
    Fact,
    /// Something that was learned from a run.
    #[default]
    Lesson,
    /// Instructions for a kind of work, with a name.
    Skill,
}

impl MemoryKind {
    /// The kinds of notes, in the order of the file, which contains no skills.
    pub const ALL: [Self; 4] = [Self::Rule, Self::Preference, Self::Fact, Self::Lesson];

    /// The word in events and on the command line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::Preference => "preference",
            Self::Fact => "fact",
            Self::Lesson => "lesson",
            Self::Skill => "skill",
        }
    }

    /// The heading of its entries in the file.
    #[must_use]
    pub const fn heading(self) -> &'static str {
        match self {
            Self::Rule => "Rules",
            Self::Preference => "Preferences",
            Self::Fact => "Facts",
            Self::Lesson => "Lessons",
            Self::Skill => "Skills",
        }
    }
}

/// The author of an entry or of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum EntryAuthor {
    /// The owner of the project.
    User,
    /// gemicro, about something that it verified itself.
    Gemicro,
    /// An agent in this role.
    Agent(String),
}

impl EntryAuthor {
    /// Whether what it adds is live at once.
    #[must_use]
    pub fn initial_trust(&self) -> EntryTrust {
        match self {
            Self::User | Self::Gemicro => EntryTrust::Live,
            Self::Agent(_) => EntryTrust::Proposed,
        }
    }
}

impl fmt::Display for EntryAuthor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User => f.write_str("user"),
            Self::Gemicro => f.write_str("gemicro"),
            Self::Agent(role) => write!(f, "agent:{role}"),
        }
    }
}

impl From<EntryAuthor> for String {
    fn from(author: EntryAuthor) -> Self {
        author.to_string()
    }
}

impl TryFrom<String> for EntryAuthor {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl FromStr for EntryAuthor {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.strip_prefix("agent:")) {
            ("user", _) => Ok(Self::User),
            ("gemicro", _) => Ok(Self::Gemicro),
            (_, Some(role)) => Ok(Self::Agent(role.to_owned())),
            (_, None) => Err(format!("`{text}` is not an author: user, gemicro or agent:ROLE")),
        }
    }
}

/// Whether an entry may be in a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EntryTrust {
    /// Approved: prompts may contain it.
    Live,
    /// An agent proposed it; a person has not decided yet.
    Proposed,
    /// A person refused it.
    Rejected,
    /// It no longer counts.
    Expired,
}

/// What became of an entry, at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryState {
    /// In the file and in prompts.
    Live,
    /// Waiting for a person.
    Proposed,
    /// Refused by a person.
    Rejected,
    /// Ended by a person or by its date.
    Expired,
    /// Hidden by a live entry that replaces it.
    Superseded,
}

impl EntryState {
    /// The word for people.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Live => "live",
            Self::Proposed => "proposed",
            Self::Rejected => "rejected",
            Self::Expired => "expired",
            Self::Superseded => "superseded",
        }
    }
}
