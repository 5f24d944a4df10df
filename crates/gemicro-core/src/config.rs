//! Re-exports the settings: those that all agents share, and those of the research agent.

pub use crate::llm::{DEFAULT_MODEL as MODEL, GemicroConfig, LlmConfig};
pub use crate::research::ResearchConfig;
