//! Errors when a prompt cannot be made.

use gemicro_event::{ErrorKind, Failure};

/// A conversation does not fit into a prompt.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HistoryError {
    /// The parts that always stay (pinned sentences, the last user message, open calls) are longer than a prompt may
    /// be.
    #[error(
        "pinned sentences, the last message and open calls need {needed} tokens, but a prompt may have only {limit}"
    )]
    TooSmall {
        /// Tokens that they need.
        needed: u64,
        /// Maximum tokens of a prompt.
        limit: u64,
    },
    /// Compression is off, and the conversation is longer than a prompt may be.
    #[error(
        "the conversation has {needed} tokens, but a prompt may have only {limit}, and compression is off"
    )]
    NotCompressed {
        /// Tokens of the whole conversation.
        needed: u64,
        /// Maximum tokens of a prompt.
        limit: u64,
    },
}

impl From<HistoryError> for Failure {
    fn from(error: HistoryError) -> Self {
        Self::new(ErrorKind::InvalidInput, error.to_string())
    }
}
