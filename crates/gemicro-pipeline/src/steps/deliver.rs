//! The last step: the branch is pushed and offered.

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
    /// The tree that the verdicts are about.
    pub tree: String,
    /// The branch it is offered to, as it was merged.
    pub main: IntendedBranch,
    /// Whether it may be pushed and offered on the remote's forge.
    pub push: bool,
    /// The title of the request.
    pub title: String,
    /// The description of the request, in Markdown.
    pub body: String,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Delivered")]
pub struct DeliverResult {
    /// Full id of the commit.
    pub commit: String,
    /// The remote it was pushed to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote: Option<String>,
    /// The request on the forge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The request was there already.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub existed: bool,
    /// The text of a request, where there is no forge to take it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
    /// What else there is to know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}
