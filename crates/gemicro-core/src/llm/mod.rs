//! The port to models: one streaming call, and the step executor around it.
//!
//! [`LlmBackend`] is the trait of adapters (Gemini, OpenAI-compatible, an agent CLI as a text backend); `LlmExecutor`
//! turns its stream into a step result and checks its end. Scripted models for tests are in `scripted`, behind the
//! `testing` feature.

mod backend;
mod backends;
mod client;
mod config;
mod executor;
mod function;
mod gate;
mod generate;
mod json_answer;
#[cfg(any(test, feature = "testing"))]
pub mod scripted;
#[cfg(test)]
mod tests;

pub use backend::{
    Annotation, AnswerDelivery, CallTime, FinishReason, GEMINI, LlmBackend, LlmChunk, LlmEnd, LlmRequest,
    LlmResponse, LlmTool,
};
pub use backends::Backends;
pub use client::LlmClient;
pub use config::{AGENTS_OWN_MODEL, DEFAULT_MODEL, GemicroConfig, LlmConfig, model_title};
pub use executor::{LLM_STEP, llm_step, worst_case};
pub(crate) use executor::{LlmExecutor, worst_case_with};
pub use function::{FunctionCall, FunctionResult, FunctionRound, LlmFunction};
pub use gate::{BackendGate, GateConfig, Pass};
pub use generate::{GenerationEvent, generate};
pub use json_answer::json_in;
