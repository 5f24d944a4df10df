//! The errors of the library's public interface. Inside, failures are [`Failure`] with an `ErrorKind`.

use gemicro_event::Failure;

pub use crate::agent::AgentError;

/// Any error that a user of the library can get.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GemicroError {
    /// An agent's stream ended without a terminal event.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// A model call failed.
    #[error(transparent)]
    Llm(#[from] LlmError),
}

/// A model call failed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{failure}")]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub struct LlmError {
    pub failure: Failure,
}

impl From<Failure> for LlmError {
    fn from(failure: Failure) -> Self {
        Self { failure }
    }
}
