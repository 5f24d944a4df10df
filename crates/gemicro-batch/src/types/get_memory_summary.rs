//! `get_memory_summary`: searches the memory for keywords.

use gemicro_core::flow::Step;
use gemicro_event::{StreamId, Timestamp};
use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::parameters::{ParameterError, read, require_text};
use super::task_type::{TaskContext, TaskType, as_it_is};

/// The step kind of a memory search.
pub const MEMORY_STEP: &str = "memory_search";
/// Maximum number of keywords.
const MAX_KEYWORDS: usize = 100;
/// Default number of entries.
const DEFAULT_LIMIT: u32 = 20;
const MAX_LIMIT: u32 = 1_000;

pub(super) const TYPE: TaskType = TaskType {
    name: "get_memory_summary",
    description: "Searches AGENT_MEMORY.md, conversations and runs for keywords and returns a summary.",
    step_kind: MEMORY_STEP,
    bound: None,
    schema: || schema_for!(MemoryParameters).to_value(),
    make,
    shape: as_it_is,
    granted: None,
};

/// Parameters of a task of type `get_memory_summary`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryParameters {
    /// An entry must contain one of these words; empty for all entries.
    #[serde(default)]
    pub keywords: Vec<String>,
    /// Maximum number of entries returned; default 20.
    #[serde(default)]
    pub limit: Option<u32>,
}

/// Input of a step of kind `memory_search`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryInput {
    /// An entry must contain one of these words; empty for all entries.
    pub keywords: Vec<String>,
    /// Maximum number of entries returned.
    pub limit: u32,
    /// The folder whose memory is searched.
    pub directory: String,
}

/// Output of a step of kind `memory_search`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryOutput {
    /// The entries as text, one after another.
    pub memory_summary: String,
    /// The sources of the entries, in the order of the text.
    #[serde(default)]
    pub sources: Vec<MemorySource>,
}

/// The source of an entry, and why it matched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemorySource {
    /// The file, conversation or run that it comes from.
    #[serde(flatten)]
    pub place: MemoryPlace,
    /// Its time; all entries of a file have the same.
    pub at: Timestamp,
    /// The requested words that it contains.
    pub keywords: Vec<String>,
}

/// The place of an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(missing_docs, reason = "the field names say what they are")]
pub enum MemoryPlace {
    /// In a file in the batch's folder.
    File {
        /// The path relative to that folder.
        path: String,
        /// The line number, from 1.
        line: u64,
    },
    Conversation {
        conversation_id: StreamId,
        /// The number of the turn.
        turn: u64,
    },
    /// In a run that has ended.
    Run { run_id: StreamId },
}

fn make(parameters: &Value, making: TaskContext<'_>) -> Result<Step, ParameterError> {
    let it: MemoryParameters = read(parameters)?;
    for (idx, keyword) in it.keywords.iter().enumerate() {
        require_text(keyword, &format!("/keywords/{idx}"))?;
    }
    if it.keywords.len() > MAX_KEYWORDS {
        let message = format!("at most {MAX_KEYWORDS} words");
        return Err(ParameterError::new("/keywords", message));
    }
    let limit = it.limit.unwrap_or(DEFAULT_LIMIT);
    if !(1..=MAX_LIMIT).contains(&limit) {
        return Err(ParameterError::new(
            "/limit",
            format!("between 1 and {MAX_LIMIT}"),
        ));
    }
    let input = MemoryInput {
        keywords: it.keywords,
        limit,
        directory: making.settings.directory.clone(),
    };
    Ok(making.free_step(MEMORY_STEP, &input))
}
