//! The step in which an agent works in a phase.

use gemicro_core::ask::AgentTask;
use serde::{Deserialize, Serialize};

use super::checkout_spec::CheckoutSpec;
use super::init::IntendedBranch;
use crate::payload::ExpectedSubmission;

/// The step kind of an agent at work in a phase. Never handed to another machine: its private checkout is here.
pub const AGENT_WORK_STEP: &str = "pipeline_agent";

/// What an agent is told, and where it begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentWork {
    /// The prompt and its bounds.
    pub task: AgentTask,
    /// The branch and commit that the step works on.
    pub place: CheckoutSpec,
    /// Folders that it may write; without them the whole checkout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<Vec<String>>,
    /// The private checkout stays as the last answer left it: that answer is asked for again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub goes_on: bool,
    /// A merge that has conflicts is begun first, with this branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge: Option<IntendedBranch>,
    /// Files that are written for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub handover: Vec<Handover>,
    /// What it hands in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<ExpectedSubmission>,
}

/// A file that gemicro writes for an agent to read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handover {
    /// Its name in the folder of such files.
    pub name: String,
    /// Where the text of the file comes from.
    pub content: HandoverContent,
}

/// What a file for an agent holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HandoverContent {
    /// Everything that the branch changes since it left a commit.
    Diff {
        /// The commit that the changes are counted from.
        from: String,
    },
    /// Text that goes into the prompt itself.
    Text {
        /// The text that is handed over.
        text: String,
    },
}
