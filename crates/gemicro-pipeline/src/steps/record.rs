//! The step with which gemicro writes its own documents on the branch.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::init::IntendedBranch;
use super::place::CheckoutSpec;

/// Its step kind.
pub const RECORD_STEP: &str = "pipeline_record";

/// What it is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordInput {
    /// Where.
    pub place: CheckoutSpec,
    /// What is written.
    pub records: Vec<DocumentRecord>,
    /// What the commit says.
    pub message: String,
    /// Its trailers.
    pub trailers: Vec<(String, String)>,
    /// Nothing is written when this branch has gone on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unless_moved: Option<IntendedBranch>,
}

/// One thing that is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DocumentRecord {
    /// A document.
    Write {
        /// Where.
        path: String,
        /// What it says.
        text: String,
    },
    /// Ideas for later, put behind those that are in the list.
    Backlog {
        /// The ideas, cleaned.
        items: Vec<String>,
        /// The feature.
        feature: String,
        /// The day.
        date: String,
        /// The run.
        run: String,
    },
    /// Documents of the task that go to the archive.
    Archive {
        /// The documents.
        paths: Vec<String>,
        /// The feature.
        feature: String,
        /// The day.
        date: String,
    },
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Recorded")]
pub struct RecordResult {
    /// Where the branch is now.
    pub new: String,
    /// The tree, without the documents of tasks: the same as before.
    pub tree: String,
    /// What was written, by path.
    pub paths: Vec<String>,
    /// Nothing was written, for main has gone on: where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved: Option<String>,
}
