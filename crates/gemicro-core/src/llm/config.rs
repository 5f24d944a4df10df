//! Settings that all agents share.

use serde::{Deserialize, Serialize};

/// The model used unless another is named.
pub const DEFAULT_MODEL: &str = "gemini-3-flash-preview";

/// Cross-agent settings; what one agent needs goes to its constructor.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct GemicroConfig {
    /// How models are called.
    pub llm: LlmConfig,
}

/// How models are called.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LlmConfig {
    /// The model.
    pub model: String,
    /// Time limit of one call, in milliseconds.
    pub timeout_ms: u64,
    /// Attempts of one call, the first included.
    pub max_attempts: u32,
    /// Sampling temperature; the model's own when absent.
    pub temperature: Option<f32>,
    /// The most a call may write.
    pub max_output_tokens: u64,
}

impl Default for LlmConfig {
    fn default() -> Self {
        Self {
            model: DEFAULT_MODEL.to_owned(),
            timeout_ms: 60_000,
            max_attempts: 3,
            temperature: None,
            max_output_tokens: 4_096,
        }
    }
}
