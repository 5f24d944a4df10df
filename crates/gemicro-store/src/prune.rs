//! Erases ended runs, by age and by size.

use std::time::Duration;

use gemicro_core::store::StoreError;
use gemicro_event::{StreamId, Timestamp};

use crate::DurableStore;
use crate::columns::Columns;
use crate::sql::query;
use crate::store::StoreEngine;

/// The ended runs to erase; both rules can be combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PruneRule {
    /// Erase runs that ended longer ago than this.
    pub older_than: Option<Duration>,
    /// Erase the oldest ended runs until events and blobs use at most this many bytes.
    pub max_bytes: Option<u64>,
}

/// The result of pruning.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PruneReport {
    /// The erased runs, oldest first.
    pub runs: Vec<StreamId>,
    /// Number of erased events.
    pub n_events: u64,
    /// Number of deleted blobs.
    pub n_blobs: u64,
    /// Bytes in use before.
    pub bytes_before: u64,
    /// Bytes in use after; more than `max_bytes` if the rest belongs to runs that have not ended.
    pub bytes_after: u64,
}

/// Query for the size of the blobs in use, in bytes.
pub(crate) const BLOB_BYTES: &str = "SELECT CAST(coalesce(sum(n_bytes), 0) AS BIGINT) AS n_bytes \
    FROM (SELECT DISTINCT blob, n_bytes FROM blob_refs) needed";

impl DurableStore {
    /// Erases ended runs by a rule, oldest first. Open runs, and runs with a driver, are kept.
    ///
    /// # Errors
    /// When the store fails; runs erased until then stay erased.
    pub async fn prune(&self, rule: &PruneRule) -> Result<PruneReport, StoreError> {
        let mut report = PruneReport {
            bytes_before: self.bytes_in_use().await?,
            ..PruneReport::default()
        };
        report.bytes_after = report.bytes_before;
        let now = Timestamp::now();
        for (run, ended_at) in self.ended_runs().await? {
            let is_old = rule.older_than.is_some_and(|age| now.since(ended_at) > age);
            let is_too_much = rule.max_bytes.is_some_and(|max| report.bytes_after > max);
            if !is_old && !is_too_much {
                continue;
            }
            match self.erase_contents(&run).await {
                Ok(erased) => {
                    report.n_events += erased.n_events;
                    report.n_blobs += erased.n_blobs;
                    report.runs.push(run);
                    report.bytes_after = self.bytes_in_use().await?;
                }
                Err(StoreError::LeaseHeld { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        if !report.runs.is_empty() {
            self.shrink().await?;
        }
        self.sweep().await?;
        Ok(report)
    }

    /// Ended runs that were not erased, in the order in which they ended.
    async fn ended_runs(&self) -> Result<Vec<(StreamId, Timestamp)>, StoreError> {
        let db = &self.inner.db;
        let ended = query(
            "SELECT id, runs.ended_at FROM runs JOIN streams ON streams.no = runs.stream_no \
             WHERE ended AND erased_at IS NULL AND runs.ended_at IS NOT NULL \
             ORDER BY runs.ended_at, stream_no",
        );
        let rows = ended.fetch_all(&self.inner.readers).await;
        let rows = rows.map_err(|error| db.error(error))?;
        let read = |row| {
            let columns = Columns::new(row, db);
            Ok((columns.stream("id")?, columns.time("ended_at")?))
        };
        rows.iter().map(read).collect()
    }

    /// Size of the used pages and of the blobs in use, in bytes.
    async fn bytes_in_use(&self) -> Result<u64, StoreError> {
        let db = &self.inner.db;
        // The tables of PostgreSQL do not shrink at once, so the size of the events is used there.
        let in_tables = match self.inner.engine {
            StoreEngine::Sqlite(_) => query(
                "SELECT ((SELECT page_count FROM pragma_page_count) \
                 - (SELECT freelist_count FROM pragma_freelist_count)) * page_size AS n_bytes \
                 FROM pragma_page_size",
            ),
            StoreEngine::Postgres(_) => query(
                "SELECT CAST(coalesce(sum(pg_column_size(events.*)), 0) AS BIGINT) AS n_bytes FROM events",
            ),
        };
        let in_blobs = query(BLOB_BYTES);
        let mut n_bytes = 0;
        for sum in [in_tables, in_blobs] {
            let row = sum.fetch_one(&self.inner.readers).await;
            let row = row.map_err(|error| db.error(error))?;
            n_bytes += Columns::new(&row, db).number("n_bytes")?;
        }
        Ok(n_bytes)
    }
}
