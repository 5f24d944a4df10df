//! The step that takes over what an agent did, and holds it against what it claims.

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
    /// Folders that the agent may have changed; without them everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only: Option<Vec<String>>,
    /// What is said about changes that the agent did not commit.
    pub message: String,
    /// Trailers of that commit.
    pub trailers: Vec<(String, String)>,
    /// What the agent claims.
    pub claim: AgentClaim,
    /// The commit that the branch began with.
    pub base: String,
    /// What its phase has to do with documents.
    #[serde(flatten)]
    pub phase: PhaseDocuments,
}

/// What a phase writes, and what it leaves alone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseDocuments {
    /// The document that it writes.
    #[serde(default, rename = "document", skip_serializing_if = "Option::is_none")]
    pub own: Option<String>,
    /// The agent works on after faults of its own: what it did then still counts as its work.
    #[serde(default)]
    pub stands: bool,
    /// Documents of earlier phases, which stay as they are in these commits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<(String, String)>,
}

/// What an agent claims to have done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the field names say what they are")]
pub enum AgentClaim {
    /// Nothing that could be looked at.
    Nothing,
    /// It wrote a document.
    Document { path: String },
    /// It wrote a plan.
    Plan { path: String },
    /// It did what a plan says.
    Work {
        commit: String,
        plan: String,
        /// The commit in which the plan is as it was approved.
        approved: String,
        /// The list of what it did.
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
    /// Where the branch was.
    pub old: String,
    /// The tip of the branch after the import.
    pub new: String,
    /// The commits that came, oldest first: id and subject.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commits: Vec<(String, String)>,
    /// How many files the commits change.
    #[serde(default)]
    pub n_files: u64,
    /// Lines that the commits add.
    #[serde(default)]
    pub insertions: u64,
    /// Lines that the commits remove.
    #[serde(default)]
    pub deletions: u64,
    /// The tree now, without the documents of tasks.
    pub tree: String,
    /// What does not hold of what the agent claims.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<String>,
    /// The plan, where it wrote one that can be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<PlanBlock>,
    /// The checkout for the user's eyes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    /// Changes that deserve a look.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reports: Vec<String>,
    /// What else there is to know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}
