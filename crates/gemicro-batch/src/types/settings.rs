//! The defaults for the tasks of a batch.

use gemicro_core::llm::LlmConfig;
use serde::{Deserialize, Serialize};

/// Defaults of a batch; frozen in its plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BatchSettings {
    /// Model settings.
    pub llm: LlmConfig,
    /// The folder that tasks work in; an absolute path. No task leaves it.
    pub directory: String,
    /// Silence after which an agent is stopped, in milliseconds.
    pub agent_idle_ms: u64,
    /// Maximum total time of an agent, in milliseconds.
    pub agent_total_ms: u64,
    /// Coverage reports, inside the folder, for tasks that name none; if empty, the usual places are searched.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub coverage_reports: Vec<String>,
}
