//! What holds for tasks that say nothing else.

use gemicro_core::llm::LlmConfig;
use serde::{Deserialize, Serialize};

/// Defaults of a batch; frozen in its plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BatchSettings {
    /// How models are called.
    pub llm: LlmConfig,
    /// The folder that tasks work in; an absolute path. No task leaves it.
    pub directory: String,
    /// Silence after which an agent is ended, in milliseconds.
    pub agent_idle_ms: u64,
    /// All the time an agent has, in milliseconds.
    pub agent_total_ms: u64,
    /// Coverage reports, inside the folder, for tasks that name none; where there are none, the usual places are looked into.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub coverage_reports: Vec<String>,
}
