//! The errors of a store.

use gemicro_event::{ErrorKind, Failure, StreamId, Timestamp};

/// Why a store refused a request. Nothing was written unless a variant says otherwise.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum StoreError {
    /// There is no such stream.
    #[error("there is no run {stream}")]
    NotFound {
        /// The id that was asked for.
        stream: String,
    },
    /// Its contents were erased.
    #[error("run {stream} was erased on {at}")]
    Erased { stream: StreamId, at: Timestamp },
    /// A stream with this id exists.
    #[error("there is already a run {stream}")]
    Exists { stream: StreamId },
    /// Another process appended in between: read the new events and decide again.
    #[error("run {stream} is at event {actual}, but the writer expected {expected}")]
    Moved {
        stream: StreamId,
        /// The last event the writer knew.
        expected: u64,
        /// The actual last event.
        actual: u64,
    },
    /// Another driver holds the run.
    #[error("run {stream} is being worked on by {owner} (lease expires {expires_at} unless renewed)")]
    LeaseHeld {
        stream: StreamId,
        /// Host and process of the holder.
        owner: String,
        /// When the lease ends by itself.
        expires_at: Timestamp,
    },
    /// Another driver took over the run; the writer must stop.
    #[error("another process resumed run {stream}")]
    LeaseLost { stream: StreamId },
    /// The attempt that reports is not the running one.
    #[error("run {stream}: attempt {attempt} of step {step} has been superseded")]
    Fenced {
        stream: StreamId,
        step: String,
        /// The attempt that was refused.
        attempt: u32,
    },
    /// The run has its terminal event; nothing can follow.
    #[error("run {stream} has ended")]
    Ended { stream: StreamId },
    /// Contents that an event refers to are missing.
    #[error("run {stream}: the contents of event {seq} (blob {blob}) are missing from the store")]
    MissingBlob {
        stream: StreamId,
        seq: u64,
        blob: String,
    },
    /// The file is not a store, or is broken.
    #[error("the store is damaged: {message}")]
    Damaged {
        /// What is wrong, and where.
        message: String,
    },
    /// The file was written by a newer program.
    #[error("the store has format {found}, but this version of gemicro supports only up to {known}")]
    NewerFormat {
        found: i64,
        /// The newest format this program can read.
        known: i64,
    },
    /// The disk is full.
    #[error("the disk is full: {message}")]
    Full { message: String },
    /// Any other error of the system.
    #[error("the store failed: {message}")]
    Io { message: String },
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let kind = match &error {
            StoreError::NotFound { .. } | StoreError::Erased { .. } => ErrorKind::NotFound,
            StoreError::Exists { .. }
            | StoreError::Moved { .. }
            | StoreError::LeaseHeld { .. }
            | StoreError::LeaseLost { .. }
            | StoreError::Fenced { .. }
            | StoreError::Ended { .. } => ErrorKind::Conflict,
            StoreError::MissingBlob { .. }
            | StoreError::Damaged { .. }
            | StoreError::NewerFormat { .. }
            | StoreError::Full { .. }
            | StoreError::Io { .. } => ErrorKind::StorageError,
        };
        Self::new(kind, error.to_string())
    }
}
