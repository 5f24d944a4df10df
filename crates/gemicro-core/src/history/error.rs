//! Why no prompt can be made.

use gemicro_event::{ErrorKind, Failure};

/// A conversation does not fit into a prompt.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HistoryError {
    /// What is never touched (pinned sentences, the last user message, open calls) is longer than a prompt may be.
    #[error(
        "pinned sentences, the last message and open calls need {needed} tokens, a prompt may have {limit}"
    )]
    TooSmall {
        /// What they need.
        needed: u64,
        /// The limit.
        limit: u64,
    },
    /// Compression is off, and the conversation is longer than a prompt may be.
    #[error("the conversation has {needed} tokens, a prompt may have {limit}, and compression is off")]
    NotCompressed {
        /// What the whole conversation needs.
        needed: u64,
        /// The limit.
        limit: u64,
    },
}

impl From<HistoryError> for Failure {
    fn from(error: HistoryError) -> Self {
        Self::new(ErrorKind::InvalidInput, error.to_string())
    }
}
