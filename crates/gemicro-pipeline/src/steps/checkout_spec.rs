//! Where the steps of a pipeline work.

use serde::{Deserialize, Serialize};

use crate::workflow::{NetworkRule, Workflow};

/// A branch, the commit it must be at, and what makes a private checkout of it usable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckoutSpec {
    /// The user's checkout, or a folder in it.
    pub directory: String,
    /// The branch of the task.
    pub branch: String,
    /// The commit that the branch must be at; another one is a change that nobody reviewed.
    pub tip: String,
    /// Commands that make a fresh checkout usable.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub setup: Vec<String>,
    /// Ignored paths that are copied in.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub carry: Vec<String>,
    /// Folders that outlive the steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub caches: Vec<String>,
    /// The network that commands in the checkout reach.
    #[serde(default)]
    pub network: NetworkRule,
}

impl CheckoutSpec {
    /// A place by the rules of a workflow.
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
