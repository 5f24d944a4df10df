//! The first step: creates the branch and its private checkout, reads the remote's protection, and runs the checks.

use gemicro_memory::MemoryEntry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::Evidence;
use super::checkout_spec::CheckoutSpec;
use crate::workflow::Check;

/// Kind of the step that creates the branch of a task.
pub const INIT_STEP: &str = "pipeline_init";

/// Input of the step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InitInput {
    /// The checkout; the tip is empty for a new branch, which begins at the checkout's commit.
    pub place: CheckoutSpec,
    /// Whether the branch must have exactly this name; otherwise a number is appended to a name that is taken.
    pub exact: bool,
    /// Whether an earlier run already created the branch.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub goes_on: bool,
    /// Checks that must pass on the base.
    pub checks: Vec<Check>,
    /// The remote whose main branch is the target; by default `origin`, or the only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    /// Whether to fail if the remote's main branch is unprotected.
    pub require_protection: bool,
    /// Whether the branch will be pushed, so that its name must be free at the remote, too.
    #[serde(default)]
    pub push: bool,
}

/// The result of the step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Prepared")]
pub struct InitResult {
    /// Name of the branch, without `refs/heads/`.
    pub branch: String,
    /// The commit at which it began.
    pub base: String,
    /// The tip of the branch; the base, unless an earlier run worked on it.
    pub tip: String,
    /// The target branch.
    pub main: IntendedBranch,
    /// The folder of files for agents.
    pub handover: String,
    /// The checkout for the user to look at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    /// What is known about the protection of the remote's main branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protection: Option<String>,
    /// Results of the checks on the base.
    pub evidence: Evidence,
    /// The user's notes for agents, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub human_review: Option<String>,
    /// Live entries of the project's memory, from which prompts are given a selection.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memory: Vec<MemoryEntry>,
    /// Notes for the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The target branch of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MainBranch")]
pub struct IntendedBranch {
    /// Name of the branch, without `refs/heads/`.
    pub name: String,
    /// Full id of the commit.
    pub commit: String,
    /// The remote it is on; `None` for a local branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
}
