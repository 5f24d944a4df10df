//! `get_memory_summary`: what is remembered about some words.

use gemicro_core::flow::Step;
use gemicro_event::{StreamId, Timestamp};
use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::parameters::{ParameterError, read, require_text};
use super::task_type::{TaskContext, TaskType, as_it_is};

/// The step kind of a search in memory.
pub const MEMORY_STEP: &str = "memory_search";
/// Words that can be searched for at once.
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
    /// Words that an entry must have one of; none means all entries.
    #[serde(default)]
    pub keywords: Vec<String>,
    /// The most entries that are returned; default 20.
    #[serde(default)]
    pub limit: Option<u32>,
}

/// Input of a step of kind `memory_search`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryInput {
    /// Words that an entry must have one of; empty for all entries.
    pub keywords: Vec<String>,
    /// The most entries that are returned.
    pub limit: u32,
    /// The folder whose memory it is.
    pub directory: String,
}

/// Output of a step of kind `memory_search`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryOutput {
    /// What is remembered, as text; one entry after another.
    pub memory_summary: String,
    /// Where the entries are, in the order of the text.
    #[serde(default)]
    pub sources: Vec<MemorySource>,
}

/// Where an entry is, and why it is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemorySource {
    /// The file, conversation or run that it comes from.
    #[serde(flatten)]
    pub place: MemoryPlace,
    /// From when it is; a file has one time for all its entries.
    pub at: Timestamp,
    /// The words it has, of those that were asked for.
    pub keywords: Vec<String>,
}

/// The place of an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(missing_docs, reason = "the field names say what they are")]
pub enum MemoryPlace {
    /// In a file of the batch's folder.
    File {
        /// The file, from that folder on.
        path: String,
        /// Its line, from 1.
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
