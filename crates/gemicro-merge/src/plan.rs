//! The plan of a merge queue.

use gemicro_event::StreamId;
use gemicro_pipeline::steps::CheckoutSpec;
use gemicro_pipeline::workflow::{Check, NetworkRule};
use serde::{Deserialize, Serialize};

/// Everything that the queue depends on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MergePlan {
    /// The user's checkout, or a folder in it.
    pub directory: String,
    /// The local branch that everything is merged into.
    pub into: String,
    /// The branches, in merge order.
    pub branches: Vec<QueuedBranch>,
    /// What was named and cannot be merged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_ready: Vec<UnreadyBranch>,
    /// The checks that every commit must pass.
    pub checks: Vec<Check>,
    /// Commands that make a fresh checkout usable.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub setup: Vec<String>,
    /// Ignored paths to copy in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub carry: Vec<String>,
    /// Network access of the checks.
    #[serde(default)]
    pub network: NetworkRule,
    /// Whether the target is pushed at the end.
    #[serde(default)]
    pub push: bool,
    /// Notes for the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// A branch in the queue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueuedBranch {
    /// Its name, such as `task/dark-mode`.
    pub branch: String,
    /// The commit to merge.
    pub commit: String,
    /// The pipeline that made it, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<StreamId>,
}

/// Something that was named and cannot be merged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnreadyBranch {
    /// The branch, or the run that has none.
    pub name: String,
    /// The reason.
    pub why: String,
}

impl MergePlan {
    /// The checkout in which a commit is checked. It has no caches: they could come from another branch.
    pub(crate) fn checkout(&self, branch: String, commit: &str) -> CheckoutSpec {
        CheckoutSpec {
            directory: self.directory.clone(),
            branch,
            tip: commit.to_owned(),
            setup: self.setup.clone(),
            carry: self.carry.clone(),
            caches: Vec::new(),
            network: self.network,
        }
    }
}
