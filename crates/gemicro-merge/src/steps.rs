//! The steps of a merge queue: their kinds, inputs and results.
//!
//! A check has the input and the result of a pipeline's check.

use gemicro_event::StreamId;
use serde::{Deserialize, Serialize};

use crate::plan::QueuedBranch;

/// Kind of the step that builds the chain of merge commits.
pub const BUILD_STEP: &str = "merge_build";
/// Kind of the step that runs the checks on one commit.
pub const CHECK_STEP: &str = "merge_check";
/// Kind of the step that moves the target.
pub const LAND_STEP: &str = "merge_land";
/// Kind of the step that pushes the target.
pub const PUSH_STEP: &str = "merge_push";

/// Input of the step that builds the chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildInput {
    /// The user's checkout, or a folder in it.
    pub directory: String,
    /// The target branch.
    pub into: String,
    /// The branches, in merge order.
    pub branches: Vec<QueuedBranch>,
    /// The run of the queue, for the commit messages.
    pub run: StreamId,
    /// The date of the commits, in seconds since 1970: building twice gives the same commits.
    pub seconds: u64,
}

/// The chain of merge commits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildResult {
    /// The tip of the target that the chain starts from.
    pub base: String,
    /// The merge commits, each on top of the one before it.
    pub chain: Vec<ChainCommit>,
    /// Branches that the target already contains.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub already: Vec<String>,
    /// Branches that were taken out because they conflict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conflicts: Vec<BranchConflict>,
}

/// One merge commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainCommit {
    /// The branch that it merges.
    pub branch: String,
    /// Full id of the merge commit.
    pub commit: String,
}

/// A branch that cannot be merged without help.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BranchConflict {
    /// The branch that was taken out.
    pub branch: String,
    /// The branch that it conflicts with: the target, or one before it in the queue.
    pub with: String,
    /// The files in conflict.
    pub files: Vec<String>,
}

/// Input of the step that moves the target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LandInput {
    /// The user's checkout, or a folder in it.
    pub directory: String,
    /// The target branch.
    pub into: String,
    /// The commit that it must be at.
    pub old: String,
    /// The commit that it moves to.
    pub new: String,
}

/// The outcome of moving the target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LandResult {
    /// The target has the new commit.
    Landed {
        /// The user's checkout of the target, which was updated.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        checkout: Option<String>,
        /// Why that checkout could not be updated.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    /// The target moved since the chain was built, and was left there.
    TargetMoved,
}

/// Input of the step that pushes the target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PushInput {
    /// The user's checkout, or a folder in it.
    pub directory: String,
    /// The target branch.
    pub into: String,
    /// The commit to push.
    pub commit: String,
}

/// The result of the push.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PushResult {
    /// Name of the remote.
    pub remote: String,
}
