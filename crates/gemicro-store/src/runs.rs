//! Lists of runs, and finding one by the beginning of its id.

use gemicro_core::run::RunRow;
use gemicro_core::store::StoreError;
use gemicro_event::{ErrorKind, Failure, RunStatus, StreamId};

use crate::SqliteStore;
use crate::columns::Columns;

/// Which runs to list.
#[derive(Debug, Clone, Default)]
pub struct RunFilter {
    /// Only runs that stand so.
    pub status: Option<RunStatus>,
    /// Only runs of this flow.
    pub flow: Option<String>,
    /// At most so many; `None` means 50.
    pub limit: Option<usize>,
    /// Only runs that were made before this one: the last of the page before.
    pub before: Option<StreamId>,
}

/// A run was not found by what was given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FindRunError {
    /// No run begins so.
    #[error("there is no run {prefix}")]
    NotFound {
        /// What was given.
        prefix: String,
    },
    /// The beginning is too short to mean one run.
    #[error("`{prefix}` is too short: give the first {MIN_PREFIX} characters of a run's id or more")]
    TooShort {
        /// What was given.
        prefix: String,
    },
    /// Several runs begin so.
    #[error("`{prefix}` could be {}", matches.iter().map(StreamId::as_str).collect::<Vec<_>>().join(" or "))]
    Ambiguous {
        /// What was given.
        prefix: String,
        /// The first few runs that begin so.
        matches: Vec<StreamId>,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<FindRunError> for Failure {
    fn from(error: FindRunError) -> Self {
        let kind = match error {
            FindRunError::NotFound { .. } => ErrorKind::NotFound,
            FindRunError::TooShort { .. } | FindRunError::Ambiguous { .. } => ErrorKind::InvalidInput,
            FindRunError::Store(error) => return error.into(),
        };
        Self::new(kind, error.to_string())
    }
}

const MIN_PREFIX: usize = 4;
const MAX_MATCHES: i64 = 8;
const DEFAULT_LIMIT: usize = 50;

impl SqliteStore {
    /// Runs as lines, the newest first.
    ///
    /// # Errors
    /// When `before` names no run, or the store fails.
    pub async fn runs(&self, filter: &RunFilter) -> Result<Vec<RunRow>, StoreError> {
        let db = &self.inner.db;
        let before = match &filter.before {
            Some(before) => crate::read::read_head(&self.inner.readers, db, before).await?.no,
            None => i64::MAX,
        };
        let limit = i64::try_from(filter.limit.unwrap_or(DEFAULT_LIMIT)).unwrap_or(i64::MAX);
        let status = filter.status.map(RunStatus::as_str);
        let query = sqlx::query(
            "SELECT * FROM runs JOIN streams ON streams.no = runs.stream_no \
             WHERE stream_no < ? AND (? IS NULL OR status = ?) AND (? IS NULL OR flow = ?) \
             ORDER BY stream_no DESC LIMIT ?",
        );
        let query = query.bind(before).bind(status).bind(status);
        let query = query
            .bind(filter.flow.as_deref())
            .bind(filter.flow.as_deref())
            .bind(limit);
        let rows = query
            .fetch_all(&self.inner.readers)
            .await
            .map_err(|error| db.error(error))?;
        rows.iter().map(|row| Columns::new(row, db).run_row()).collect()
    }

    /// One run as a line; an erased one has the title "erased".
    ///
    /// # Errors
    /// When there is no such run.
    pub async fn run(&self, run: &StreamId) -> Result<RunRow, StoreError> {
        let db = &self.inner.db;
        let query = sqlx::query(
            "SELECT * FROM runs JOIN streams ON streams.no = runs.stream_no WHERE streams.id = ?",
        );
        let row = query.bind(run.as_str()).fetch_optional(&self.inner.readers).await;
        let row = row.map_err(|error| db.error(error))?;
        let row = row.ok_or_else(|| StoreError::NotFound {
            stream: run.to_string(),
        })?;
        Columns::new(&row, db).run_row()
    }

    /// The run with this id, or the only one whose id begins so.
    ///
    /// # Errors
    /// When none or several do, or the beginning has fewer than 4 characters.
    pub async fn find_run(&self, prefix: &str) -> Result<StreamId, FindRunError> {
        let not_found = || FindRunError::NotFound {
            prefix: prefix.chars().take(80).collect(),
        };
        if StreamId::new(prefix).is_err() {
            return Err(not_found());
        }
        // `~` sorts after every character of an id.
        let query = sqlx::query(
            "SELECT id FROM streams WHERE id >= ? AND id < ? AND kind = 'run' ORDER BY id LIMIT ?",
        );
        let query = query.bind(prefix).bind(format!("{prefix}~")).bind(MAX_MATCHES);
        let db = &self.inner.db;
        let rows = query
            .fetch_all(&self.inner.readers)
            .await
            .map_err(|error| db.error(error))?;
        let matches: Result<Vec<StreamId>, StoreError> = rows
            .iter()
            .map(|row| Columns::new(row, db).stream("id"))
            .collect();
        let matches = matches?;
        match matches.as_slice() {
            // The exact id sorts first.
            [first, ..] if first.as_str() == prefix => Ok(first.clone()),
            _ if prefix.len() < MIN_PREFIX => Err(FindRunError::TooShort {
                prefix: prefix.to_owned(),
            }),
            [] => Err(not_found()),
            [only] => Ok(only.clone()),
            [_, _, ..] => Err(FindRunError::Ambiguous {
                prefix: prefix.to_owned(),
                matches,
            }),
        }
    }
}
