//! Lists of runs.

use gemicro_core::run::RunRow;
use gemicro_core::store::StoreError;
use gemicro_event::{RunStatus, StreamId};
use serde::{Deserialize, Serialize};

use crate::DurableStore;
use crate::columns::Columns;
use crate::sql::query;

/// The runs to list.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct RunFilter {
    /// Only runs with this status.
    pub status: Option<RunStatus>,
    /// Only runs of this flow.
    pub flow: Option<String>,
    /// Maximum number; `None` means 50.
    pub limit: Option<usize>,
    /// Only runs created before this one: the last one of the previous page.
    pub before: Option<StreamId>,
}

const DEFAULT_LIMIT: usize = 50;

impl DurableStore {
    /// Runs that were not erased, the newest first.
    ///
    /// # Errors
    /// When the run `before` does not exist, or the store fails.
    pub async fn runs(&self, filter: &RunFilter) -> Result<Vec<RunRow>, StoreError> {
        let db = &self.inner.db;
        let before = match &filter.before {
            Some(before) => crate::read::read_head(&self.inner.readers, db, before).await?.no,
            None => i64::MAX,
        };
        let limit = i64::try_from(filter.limit.unwrap_or(DEFAULT_LIMIT)).unwrap_or(i64::MAX);
        let status = filter.status.map(RunStatus::as_str);
        let query = query(
            "SELECT * FROM runs JOIN streams ON streams.no = runs.stream_no \
             WHERE stream_no < $1 AND erased_at IS NULL AND ($2 IS NULL OR status = $2) AND ($3 IS NULL OR flow = $3) \
             ORDER BY stream_no DESC LIMIT $4",
        );
        let query = query
            .bind(before)
            .bind(status)
            .bind(filter.flow.as_deref())
            .bind(limit);
        let rows = query
            .fetch_all(&self.inner.readers)
            .await
            .map_err(|error| db.error(error))?;
        rows.iter().map(|row| Columns::new(row, db).run_row()).collect()
    }

    /// The runs that another run or a conversation started or that refer to it, the oldest first.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn runs_of(&self, parent: &StreamId) -> Result<Vec<RunRow>, StoreError> {
        let db = &self.inner.db;
        let query = query(
            "SELECT * FROM runs JOIN streams ON streams.no = runs.stream_no \
             WHERE streams.parent_run = $1 AND erased_at IS NULL ORDER BY stream_no",
        );
        let rows = query.bind(parent.as_str()).fetch_all(&self.inner.readers).await;
        let rows = rows.map_err(|error| db.error(error))?;
        rows.iter().map(|row| Columns::new(row, db).run_row()).collect()
    }

    /// The list entry of one run; an erased one has the title "erased".
    ///
    /// # Errors
    /// When there is no such run.
    pub async fn run(&self, run: &StreamId) -> Result<RunRow, StoreError> {
        let db = &self.inner.db;
        let query =
            query("SELECT * FROM runs JOIN streams ON streams.no = runs.stream_no WHERE streams.id = $1");
        let row = query.bind(run.as_str()).fetch_optional(&self.inner.readers).await;
        let row = row.map_err(|error| db.error(error))?;
        let row = row.ok_or_else(|| StoreError::NotFound {
            stream: run.to_string(),
        })?;
        Columns::new(&row, db).run_row()
    }
}
