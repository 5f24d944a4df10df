//! The checkout that the steps of a pipeline use.

use serde::{Deserialize, Serialize};

use crate::workflow::{NetworkRule, Workflow};

/// A branch, the commit it must be at, and how to set up a private checkout of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckoutSpec {
    /// The user's checkout, or a folder in it.
    pub directory: String,
    /// The branch of the task.
    pub branch: String,
    /// The commit that the branch must be at; any other one has not been reviewed.
    pub tip: String,
    /// Commands that make a fresh checkout usable.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub setup: Vec<String>,
    /// Ignored paths to copy in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub carry: Vec<String>,
    /// Folders that are kept between steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub caches: Vec<String>,
    /// Network access of commands in the checkout.
    #[serde(default)]
    pub network: NetworkRule,
}

impl CheckoutSpec {
    /// Creates a specification from the rules of a workflow.
    #[must_use]
    pub fn new(workflow: &Workflow, directory: &str, branch: &str, tip: &str) -> Self {
        Self {
            directory: directory.to_owned(),
            branch: branch.to_owned(),
            tip: tip.to_owned(),
            setup: workflow.setup.clone(),
            carry: workflow.carry.clone(),
            caches: workflow.caches.clone(),
            network: workflow.network,
        }
    }
}
