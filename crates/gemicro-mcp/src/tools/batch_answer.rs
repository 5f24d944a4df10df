//! The answer of batch tools: the batch contract, and the common fields of all tools.

use gemicro_engine::BatchAnswer;
use serde::Serialize;

use super::ToolName;

/// The state of a batch. The success of the call says nothing about its tasks.
#[derive(Debug, Serialize)]
pub(super) struct BatchSuccess {
    success: bool,
    tool: &'static str,
    #[serde(flatten)]
    answer: BatchAnswer,
}

impl BatchSuccess {
    /// The answer of this tool.
    pub(super) fn new(tool: ToolName, answer: BatchAnswer) -> Self {
        Self {
            success: true,
            tool: tool.as_str(),
            answer,
        }
    }
}
