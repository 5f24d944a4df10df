//! The first step: the branch, its private checkout, the remote's protection, and the checks on the base.

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
    /// Where; the tip is empty for a new branch, which begins at the checkout's commit.
    pub place: CheckoutSpec,
    /// The branch must have exactly this name; else a number is put behind one that is taken.
    pub exact: bool,
    /// The branch is there already: an earlier run made it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub goes_on: bool,
    /// What must succeed on the base.
    pub checks: Vec<Check>,
    /// The remote whose main is meant; without one `origin`, or the only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    /// A remote main without protection ends the task.
    pub require_protection: bool,
    /// The branch will be pushed, so its name must be free at the remote, too.
    #[serde(default)]
    pub push: bool,
}

/// What it found and made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Prepared")]
pub struct InitResult {
    /// Name of the branch, without `refs/heads/`.
    pub branch: String,
    /// The commit that it began with.
    pub base: String,
    /// Where it is now; the base, unless an earlier run worked on it.
    pub tip: String,
    /// The branch that it is meant for.
    pub main: IntendedBranch,
    /// The folder in which files are handed to agents.
    pub handover: String,
    /// The checkout for the user's eyes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worktree: Option<String>,
    /// What is known about the protection of the remote's main.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub protection: Option<String>,
    /// What the checks say about the base.
    pub evidence: Evidence,
    /// The person's notes for agents, where there are some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub human_review: Option<String>,
    /// What the user should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The branch that a task is meant for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MainBranch")]
pub struct IntendedBranch {
    /// Name of the branch, without `refs/heads/`.
    pub name: String,
    /// Full id of the commit.
    pub commit: String,
    /// The remote it is on; none for a local one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
}
