//! The plan of a run of `propose_strategy`.

use gemicro_core::llm::LlmConfig;
use serde::{Deserialize, Serialize};

use super::executor::GapsInput;

/// Everything that decisions depend on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StrategyPlan {
    /// The project and the ranking to make.
    pub gaps: GapsInput,
    /// The model that writes the advice, with its prompt; `None` for the ranking only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prose: Option<Prose>,
}

/// Settings of the model call that writes the advice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Prose {
    /// Model settings.
    pub llm: LlmConfig,
    /// The system prompt.
    pub system: String,
    /// The prompt; may use `{{summary}}`, `{{gaps}}` and `{{context}}`.
    pub prompt: String,
    /// The user's notes about the project.
    #[serde(default)]
    pub context: String,
}
