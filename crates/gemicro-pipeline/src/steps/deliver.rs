//! The last step: pushes the branch and submits it for merging.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::checkout_spec::CheckoutSpec;
use super::init::IntendedBranch;

/// Kind of the step that pushes the branch and opens the request.
pub const DELIVER_STEP: &str = "pipeline_deliver";

/// Input of the step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliverInput {
    /// The branch and commit that the step works on.
    pub place: CheckoutSpec,
    /// The tree that was reviewed.
    pub tree: String,
    /// The target branch, as it was merged.
    pub main: IntendedBranch,
    /// Whether it may be pushed and submitted to the remote's forge.
    pub push: bool,
    /// The title of the request.
    pub title: String,
    /// The description of the request, in Markdown.
    pub body: String,
}

/// The result of the step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Delivered")]
pub struct DeliverResult {
    /// Full id of the commit.
    pub commit: String,
    /// The remote it was pushed to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    /// Address of the request at the forge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Whether the request already existed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub existed: bool,
    /// Text of the request, if there is no forge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// Notes for the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}
