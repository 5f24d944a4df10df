//! The step that imports an agent's changes and compares them with its claims.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::checkout_spec::CheckoutSpec;
use crate::evidence::PlanBlock;

/// Kind of the step that imports an agent's commits.
pub const IMPORT_STEP: &str = "pipeline_import";

/// Input of the step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportInput {
    /// The branch and commit that the step works on.
    pub place: CheckoutSpec,
    /// Folders that the agent may have changed; `None` for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<Vec<String>>,
    /// Message of the commit for changes that the agent did not commit.
    pub message: String,
    /// Trailers of that commit.
    pub trailers: Vec<(String, String)>,
    /// The agent's claim.
    pub claim: AgentClaim,
    /// The commit at which the branch began.
    pub base: String,
    /// The documents of its phase.
    #[serde(flatten)]
    pub phase: PhaseDocuments,
}

/// The document that a phase writes, and the documents it must not change.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseDocuments {
    /// The document that it writes.
    #[serde(default, rename = "document", skip_serializing_if = "Option::is_none")]
    pub own: Option<String>,
    /// Whether earlier rounds of this phase left changes that still count as the agent's work.
    #[serde(default)]
    pub stands: bool,
    /// Documents of earlier phases, which must stay as in these commits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<(String, String)>,
}

/// An agent's claim about its work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the field names say what they are")]
pub enum AgentClaim {
    /// Nothing that could be verified.
    Nothing,
    /// It wrote a document.
    Document { path: String },
    /// It wrote a plan.
    Plan { path: String },
    /// It followed a plan.
    Work {
        commit: String,
        plan: String,
        /// The commit that holds the approved plan.
        approved: String,
        /// Path of the verification report.
        verification: String,
    },
    /// It resolved the conflicts of a merge.
    Merge {
        commit: String,
        /// The branch before the merge.
        ours: String,
        /// The commit that was merged.
        theirs: String,
        /// The files that were in conflict.
        files: Vec<String>,
    },
}

/// What was imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Taken")]
pub struct ImportStepResult {
    /// The tip of the branch before the import.
    pub old: String,
    /// The tip of the branch after the import.
    pub new: String,
    /// The imported commits, oldest first: id and subject.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<(String, String)>,
    /// Number of files changed.
    #[serde(default)]
    pub n_files: u64,
    /// Number of lines added.
    #[serde(default)]
    pub insertions: u64,
    /// Number of lines removed.
    #[serde(default)]
    pub deletions: u64,
    /// The tree now, without the documents of tasks.
    pub tree: String,
    /// False claims of the agent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<String>,
    /// The plan, if the agent wrote a valid one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<PlanBlock>,
    /// The checkout for the user to look at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    /// Changes that need a look.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reports: Vec<String>,
    /// Notes for the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}
