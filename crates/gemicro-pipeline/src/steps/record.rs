//! The step that commits gemicro's own documents to the branch.

use gemicro_memory::{NewSkill, clean_lessons};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::checkout_spec::CheckoutSpec;
use super::init::IntendedBranch;

/// Kind of the step that commits gemicro's own documents.
pub const RECORD_STEP: &str = "pipeline_record";

/// Input of the step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordInput {
    /// The branch and commit that the step works on.
    pub place: CheckoutSpec,
    /// The documents of one commit.
    pub records: Vec<DocumentRecord>,
    /// The commit message.
    pub message: String,
    /// Git trailers for the commit message, as key and value.
    pub trailers: Vec<(String, String)>,
    /// Write nothing if this branch has moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unless_moved: Option<IntendedBranch>,
    /// What an agent learned, for the owner to approve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lessons: Option<ProposedLessons>,
    /// Skills that agents wrote, for the owner to approve.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<ProposedSkill>,
}

/// What an agent learned about the project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposedLessons {
    /// The role of the agent.
    pub role: String,
    /// The lessons, one line each.
    pub texts: Vec<String>,
}

impl ProposedLessons {
    /// The lessons of an answer that are allowed; `None` without any.
    #[must_use]
    pub fn new(role: &str, lessons: &[&str]) -> Option<Self> {
        let texts = clean_lessons(lessons);
        (!texts.is_empty()).then(|| Self {
            role: role.to_owned(),
            texts,
        })
    }
}

/// What an agent wrote about work that was hard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposedSkill {
    /// The role of the agent.
    pub role: String,
    /// Name, description and instructions.
    pub skill: NewSkill,
}

/// One change to the documents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the field names say what they are")]
pub enum DocumentRecord {
    Write {
        path: String,
        text: String,
    },
    /// Feedback of agents, appended to a list.
    Backlog {
        /// The ideas, one plain line each.
        items: Vec<String>,
        feature: String,
        /// Date, like `2026-11-16`.
        date: String,
        run: String,
        #[serde(default, skip_serializing_if = "FeedbackList::is_backlog")]
        list: FeedbackList,
    },
    /// Documents of the task to move to the archive.
    Archive {
        /// Paths of the documents.
        paths: Vec<String>,
        feature: String,
        /// Date, like `2026-11-16`.
        date: String,
    },
}

/// The lists that agents' feedback is added to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeedbackList {
    /// Ideas for later.
    #[default]
    Backlog,
    /// Documentation to update.
    Docs,
}

impl FeedbackList {
    /// All lists.
    pub const ALL: [Self; 2] = [Self::Backlog, Self::Docs];

    /// Path of the list in the repository.
    #[must_use]
    pub const fn path(self) -> &'static str {
        match self {
            Self::Backlog => "docs/dev_docs/backlog.md",
            Self::Docs => "docs/dev_docs/docs_to_update.md",
        }
    }

    /// Title of a new list.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Backlog => "Backlog",
            Self::Docs => "Documentation to update",
        }
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it like this")]
    fn is_backlog(&self) -> bool {
        *self == Self::Backlog
    }
}

/// The commit of the documents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Recorded")]
pub struct RecordResult {
    /// The tip of the branch now.
    pub new: String,
    /// The tree without the documents of tasks, so it is unchanged.
    pub tree: String,
    /// The written paths.
    pub paths: Vec<String>,
    /// The new tip of main, if it has moved; nothing was written in that case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved: Option<String>,
}
