//! The errors of conversations.

use gemicro_core::store::StoreError;
use gemicro_event::{ErrorKind, Failure, StreamId, Timestamp};
use gemicro_store::FindStreamError;

/// Maximum length of a conversation's name, in characters.
pub const MAX_NAME_CHARS: usize = 200;

/// Why an operation on a conversation failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum ConversationError {
    /// No conversation, or several, match the id.
    #[error(transparent)]
    Find(#[from] FindStreamError),
    #[error("conversation {id} was deleted on {at}")]
    Deleted {
        id: StreamId,
        /// When it was deleted.
        at: Timestamp,
    },
    /// A newer program wrote its events, so this one would misread it.
    #[error("conversation {id} was written by a newer gemicro: {what}")]
    Newer {
        id: StreamId,
        /// What this program does not know.
        what: String,
    },
    /// Its events do not form a conversation.
    #[error("conversation {id} is damaged: {what}")]
    Damaged {
        id: StreamId,
        /// What is wrong, and where.
        what: String,
    },
    /// Another chat has it open.
    #[error("conversation {id} is open in another chat ({holder})")]
    Held {
        id: StreamId,
        /// Host and process of the other chat.
        holder: String,
    },
    /// The name is not valid.
    #[error("a name has 1 to {MAX_NAME_CHARS} characters and no control characters")]
    BadName,
    /// There are no turns.
    #[error("a conversation without turns is not stored")]
    Empty,
    /// A turn could be written, but not read back.
    #[error("turn {turn} cannot be stored: {reason}")]
    BadTurn {
        turn: u64,
        /// Why it cannot be stored.
        reason: String,
    },
    #[error(transparent)]
    Store(StoreError),
}

impl From<StoreError> for ConversationError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Erased { stream, at } => Self::Deleted { id: stream, at },
            other => Self::Store(other),
        }
    }
}

impl From<ConversationError> for Failure {
    fn from(error: ConversationError) -> Self {
        let kind = match error {
            ConversationError::Find(error) => return error.into(),
            ConversationError::Store(error) => return error.into(),
            ConversationError::Deleted { .. } => ErrorKind::NotFound,
            ConversationError::Held { .. } => ErrorKind::Conflict,
            ConversationError::Newer { .. } | ConversationError::Damaged { .. } => ErrorKind::StorageError,
            ConversationError::BadName | ConversationError::Empty | ConversationError::BadTurn { .. } => {
                ErrorKind::InvalidInput
            }
        };
        Self::new(kind, error.to_string())
    }
}
