//! The step in which an agent does the work of a phase.

use gemicro_core::ask::AgentTask;
use gemicro_core::blob::BlobId;
use serde::{Deserialize, Serialize};

use super::checkout_spec::CheckoutSpec;
use super::init::IntendedBranch;
use crate::payload::ExpectedSubmission;

/// Kind of the step in which an agent works. It is never sent to another machine, because its private checkout is
/// local.
pub const AGENT_WORK_STEP: &str = "pipeline_agent";

/// The prompt for an agent, and its starting point.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentWork {
    /// The prompt and its limits.
    pub task: AgentTask,
    /// The branch and commit that the step works on.
    pub place: CheckoutSpec,
    /// Folders that it may write; `None` for the whole checkout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<Vec<String>>,
    /// Whether to keep the private checkout from the last answer, because the agent is asked again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub goes_on: bool,
    /// The branch with which to start a conflicting merge first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge: Option<IntendedBranch>,
    /// Files that are written for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub handover: Vec<Handover>,
    /// Hash of the owner's notes file whose text is in the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<BlobId>,
    /// The result that it must submit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<ExpectedSubmission>,
}

/// A file that gemicro writes for an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handover {
    /// File name in the handover folder.
    pub name: String,
    /// Source of the file's content.
    pub content: HandoverContent,
}

/// Content of a file for an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HandoverContent {
    /// All changes of the branch since a commit.
    Diff {
        /// The commit to compare with.
        from: String,
    },
    /// The given text.
    Text {
        /// Content of the file.
        text: String,
    },
}
