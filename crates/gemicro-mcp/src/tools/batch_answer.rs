//! What the tools about batches answer: the contract of batches, and what every tool says.

use gemicro_engine::BatchAnswer;
use serde::Serialize;

use super::ToolName;

/// How a batch stands. That the call succeeded says nothing about its tasks.
#[derive(Debug, Serialize)]
pub(super) struct BatchSuccess {
    success: bool,
    tool: &'static str,
    #[serde(flatten)]
    answer: BatchAnswer,
}

impl BatchSuccess {
    /// The answer of a tool.
    pub(super) fn new(tool: ToolName, answer: BatchAnswer) -> Self {
        Self {
            success: true,
            tool: tool.as_str(),
            answer,
        }
    }
}
