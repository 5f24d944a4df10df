//! Finds a stream by a prefix of its id. Runs and conversations are never mixed up.

use gemicro_core::store::{StoreError, StreamKind};
use gemicro_event::{ErrorKind, Failure, StreamId};

use crate::DurableStore;
use crate::columns::Columns;
use crate::sql::query;

const MIN_PREFIX: usize = 4;
const MAX_MATCHES: i64 = 8;

/// No single stream was found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum FindStreamError {
    /// No stream of the kind has this prefix.
    #[error("there is no {} {prefix}", wanted.as_str())]
    NotFound {
        /// The kind of stream that was requested.
        wanted: StreamKind,
        prefix: String,
    },
    /// A stream of another kind has this id.
    #[error("`{prefix}` is a {}, not a {}", found.as_str(), wanted.as_str())]
    OtherKind {
        /// The kind of stream that was requested.
        wanted: StreamKind,
        found: StreamKind,
        prefix: String,
    },
    /// The prefix is too short.
    #[error("`{prefix}` is too short: give the first {MIN_PREFIX} characters of a {}'s id or more", wanted.as_str())]
    TooShort {
        /// The kind of stream that was requested.
        wanted: StreamKind,
        prefix: String,
    },
    /// Several streams have this prefix.
    #[error("`{prefix}` could be {}", matches.iter().map(StreamId::as_str).collect::<Vec<_>>().join(" or "))]
    Ambiguous {
        /// The kind of stream that was requested.
        wanted: StreamKind,
        prefix: String,
        /// The first few matches.
        matches: Vec<StreamId>,
    },
    /// The store could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<FindStreamError> for Failure {
    fn from(error: FindStreamError) -> Self {
        let kind = match error {
            FindStreamError::NotFound { .. } | FindStreamError::OtherKind { .. } => ErrorKind::NotFound,
            FindStreamError::TooShort { .. } | FindStreamError::Ambiguous { .. } => ErrorKind::InvalidInput,
            FindStreamError::Store(error) => return error.into(),
        };
        Self::new(kind, error.to_string())
    }
}

impl DurableStore {
    /// The run with this id, or the only one whose id has this prefix.
    ///
    /// # Errors
    /// When there is no match or several, or the prefix has fewer than 4 characters.
    pub async fn find_run(&self, prefix: &str) -> Result<StreamId, FindStreamError> {
        self.find(StreamKind::Run, prefix).await
    }

    /// The conversation with this id, or the only one whose id has this prefix.
    ///
    /// # Errors
    /// When there is no match or several, or the prefix has fewer than 4 characters.
    pub async fn find_conversation(&self, prefix: &str) -> Result<StreamId, FindStreamError> {
        self.find(StreamKind::Conversation, prefix).await
    }

    async fn find(&self, wanted: StreamKind, prefix: &str) -> Result<StreamId, FindStreamError> {
        let not_found = || FindStreamError::NotFound {
            wanted,
            prefix: prefix.chars().take(80).collect(),
        };
        if StreamId::new(prefix).is_err() {
            return Err(not_found());
        }
        let matches = self.beginning_with(wanted, prefix).await?;
        match matches.as_slice() {
            // The exact id sorts first.
            [first, ..] if first.as_str() == prefix => Ok(first.clone()),
            _ if prefix.len() < MIN_PREFIX => Err(FindStreamError::TooShort {
                wanted,
                prefix: prefix.to_owned(),
            }),
            [] => {
                let found = match wanted {
                    StreamKind::Run => StreamKind::Conversation,
                    StreamKind::Conversation | StreamKind::Steps | StreamKind::Memory => StreamKind::Run,
                };
                match self.beginning_with(found, prefix).await?.as_slice() {
                    [] => Err(not_found()),
                    [_, ..] => Err(FindStreamError::OtherKind {
                        wanted,
                        found,
                        prefix: prefix.to_owned(),
                    }),
                }
            }
            [only] => Ok(only.clone()),
            [_, _, ..] => Err(FindStreamError::Ambiguous {
                wanted,
                prefix: prefix.to_owned(),
                matches,
            }),
        }
    }

    async fn beginning_with(&self, kind: StreamKind, prefix: &str) -> Result<Vec<StreamId>, StoreError> {
        let db = &self.inner.db;
        // `~` sorts after every character of an id.
        let query =
            query("SELECT id FROM streams WHERE id >= $1 AND id < $2 AND kind = $3 ORDER BY id LIMIT $4");
        let query = query
            .bind(prefix)
            .bind(format!("{prefix}~"))
            .bind(kind.as_str())
            .bind(MAX_MATCHES);
        let rows = query
            .fetch_all(&self.inner.readers)
            .await
            .map_err(|error| db.error(error))?;
        rows.iter()
            .map(|row| Columns::new(row, db).stream("id"))
            .collect()
    }
}
