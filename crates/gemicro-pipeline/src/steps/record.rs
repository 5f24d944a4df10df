//! The step with which gemicro writes its own documents on the branch.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::checkout_spec::CheckoutSpec;
use super::init::IntendedBranch;

/// Kind of the step that commits gemicro's own documents.
pub const RECORD_STEP: &str = "pipeline_record";

/// Input of the step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordInput {
    /// The branch and commit that the step works on.
    pub place: CheckoutSpec,
    /// The documents of one commit.
    pub records: Vec<DocumentRecord>,
    /// What the commit says.
    pub message: String,
    /// Git trailers for the commit message, as key and value.
    pub trailers: Vec<(String, String)>,
    /// Nothing is written when this branch has moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unless_moved: Option<IntendedBranch>,
}

/// One thing that is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the field names say what they are")]
pub enum DocumentRecord {
    Write {
        path: String,
        text: String,
    },
    /// Ideas for later, put behind those that are in the list.
    Backlog {
        /// The ideas, each one plain line.
        items: Vec<String>,
        feature: String,
        /// The day, as `2026-11-16`.
        date: String,
        run: String,
    },
    /// Documents of the task that go to the archive.
    Archive {
        /// Paths of the documents that are moved.
        paths: Vec<String>,
        feature: String,
        /// The day, as `2026-11-16`.
        date: String,
    },
}

/// The commit of the documents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Recorded")]
pub struct RecordResult {
    /// Where the branch is now.
    pub new: String,
    /// The tree, without the documents of tasks: the same as before.
    pub tree: String,
    /// What was written, by path.
    pub paths: Vec<String>,
    /// The new tip of main; set where it has moved, and nothing was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved: Option<String>,
}
