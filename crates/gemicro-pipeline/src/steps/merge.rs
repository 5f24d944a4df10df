//! The step that merges main into the branch.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::checkout_spec::CheckoutSpec;
use super::init::IntendedBranch;

/// Kind of the step that merges main into the branch.
pub const MERGE_STEP: &str = "pipeline_merge";

/// Input of the step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergeInput {
    /// The branch and commit that the step works on.
    pub place: CheckoutSpec,
    /// The branch to merge, as it was when the task began; it is looked up again.
    pub main: IntendedBranch,
    /// The commit message.
    pub message: String,
    /// Git trailers for the commit message, as key and value.
    pub trailers: Vec<(String, String)>,
}

/// The result of a merge of main into the branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Merged")]
pub struct MergeResult {
    /// Main as it is now.
    pub main: IntendedBranch,
    /// The outcome.
    pub outcome: MergeOutcome,
    /// The tip of the branch now.
    pub new: String,
    /// The tree, without the documents of tasks.
    pub tree: String,
    /// The files in conflict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Git's output about a conflict; empty without one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub words: String,
}

/// The outcome of a merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MergeOutcome {
    /// The branch already contains all of main.
    UpToDate,
    /// Main is merged into the branch.
    Merged,
    /// There are conflicts to resolve.
    Conflict,
}

impl MergeOutcome {
    /// The outcome's name in edges.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::UpToDate => "up_to_date",
            Self::Merged => "merged",
            Self::Conflict => "conflict",
        }
    }
}
