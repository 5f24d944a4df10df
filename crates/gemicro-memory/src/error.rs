//! Errors of the memory.

use gemicro_core::store::StoreError;
use gemicro_event::{ErrorKind, Failure};

use crate::file::FILE;

/// Why the memory could not be read or changed. Nothing was changed unless a variant says otherwise.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum MemoryError {
    /// A line of the file is not an entry, so that writing the file would lose it.
    #[error("{FILE}, line {line}: {why}")]
    Line { line: u64, why: String },
    /// The file cannot be read or written.
    #[error("{FILE} {why}")]
    File { why: String },
    /// The text of an entry is not allowed.
    #[error("the text {why}")]
    Text { why: String },
    /// No entry has this id.
    #[error("there is no memory entry `{id}`")]
    NotFound { id: String },
    /// No skill has this name.
    #[error("there is no skill `{name}`")]
    NoSkill { name: String },
    /// Several entries have ids that begin like this.
    #[error("`{id}` is the start of several ids: {found}")]
    Ambiguous { id: String, found: String },
    /// The change does not apply to the entry.
    #[error("entry {id} is {state}: {why}")]
    WrongState {
        id: String,
        state: &'static str,
        why: String,
    },
    /// The folder of the project cannot be read.
    #[error("{folder}: {why}")]
    Folder { folder: String, why: String },
    /// The events of the memory cannot be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl MemoryError {
    fn kind(&self) -> ErrorKind {
        match self {
            Self::Line { .. } | Self::Text { .. } | Self::Ambiguous { .. } => ErrorKind::InvalidInput,
            Self::NotFound { .. } | Self::NoSkill { .. } | Self::Folder { .. } => ErrorKind::NotFound,
            Self::WrongState { .. } => ErrorKind::Conflict,
            Self::File { .. } => ErrorKind::StorageError,
            Self::Store(error) => Failure::from(error.clone()).kind,
        }
    }
}

impl From<MemoryError> for Failure {
    fn from(error: MemoryError) -> Self {
        Self::new(error.kind(), error.to_string())
    }
}
