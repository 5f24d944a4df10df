//! What a run of `propose_strategy` depends on.

use gemicro_core::llm::LlmConfig;
use serde::{Deserialize, Serialize};

use super::executor::GapsInput;

/// Everything that deciding depends on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StrategyPlan {
    /// What is looked at.
    pub gaps: GapsInput,
    /// The model that writes the advice, with its prompt; without one the ranking stands alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prose: Option<Prose>,
}

/// Who writes the advice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Prose {
    /// How the model is called.
    pub llm: LlmConfig,
    /// Instructions above the prompt.
    pub system: String,
    /// The prompt; knows `{{summary}}`, `{{gaps}}` and `{{context}}`.
    pub prompt: String,
    /// What the user knows about the project.
    #[serde(default)]
    pub context: String,
}
