//! Settings that all agents share.

use serde::{Deserialize, Serialize};

use super::CallTime;
use super::backend::gemini;
use crate::ask::AgentName;

/// The model used unless another is named.
pub const DEFAULT_MODEL: &str = "gemini-3-flash-preview";

/// The name for the model that an agent CLI chooses itself.
pub const AGENTS_OWN_MODEL: &str = "default";

/// The model in words: its name, or `Codex's default model` where the agent chooses it.
#[must_use]
pub fn model_title(backend: &str, model: &str) -> String {
    let agent = AgentName::of_backend(backend).filter(|_| model == AGENTS_OWN_MODEL);
    agent.map_or_else(
        || model.to_owned(),
        |agent| format!("{}'s default model", agent.title()),
    )
}

/// Settings shared by all agents; an agent's own settings go to its constructor.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct GemicroConfig {
    /// How models are called.
    pub llm: LlmConfig,
}

/// How models are called.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LlmConfig {
    /// Name of the backend to use.
    #[serde(default = "gemini")]
    pub backend: String,
    /// Name of the model, as the provider knows it.
    pub model: String,
    /// Time limit of one call, in milliseconds.
    pub timeout_ms: u64,
    /// Maximum time without any data, in milliseconds.
    #[serde(default = "default_idle_ms")]
    pub idle_timeout_ms: u64,
    /// Maximum number of attempts per call, including the first.
    pub max_attempts: u32,
    /// Sampling temperature; the model's own when absent.
    pub temperature: Option<f32>,
    /// Maximum number of output tokens per call.
    pub max_output_tokens: u64,
}

impl Default for LlmConfig {
    fn default() -> Self {
        Self {
            backend: gemini(),
            model: DEFAULT_MODEL.to_owned(),
            timeout_ms: CallTime::default().total_ms,
            idle_timeout_ms: default_idle_ms(),
            max_attempts: 3,
            temperature: None,
            max_output_tokens: 4_096,
        }
    }
}

fn default_idle_ms() -> u64 {
    CallTime::default().idle_ms
}

impl LlmConfig {
    /// The time limits of one call.
    #[must_use]
    pub fn time(&self) -> CallTime {
        CallTime {
            total_ms: self.timeout_ms,
            idle_ms: self.idle_timeout_ms,
        }
    }
}
