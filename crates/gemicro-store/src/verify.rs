//! Reads the whole store to find damage, for `gemicro store check` and `gemicro doctor`.
//!
//! The main type is [`ContentsCheck`]. Nothing is changed.

use gemicro_core::blob::{BlobId, Blobs};
use gemicro_core::store::{StoreError, StreamKind};
use gemicro_event::StreamId;

use crate::blob_store::BlobStore;
use crate::columns::Columns;
use crate::sql::query;
use crate::store::StoreEngine;
use crate::{DeadLetterFilter, DurableStore};

/// The result of a check of all contents.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ContentsCheck {
    /// Number of streams read: runs, conversations and reports of steps.
    pub n_streams: u64,
    /// Number of events read in these streams.
    pub n_events: u64,
    /// Number of events without checksums, from older versions: readable, but a change would not be noticed.
    pub n_unsealed: u64,
    /// Number of blobs read.
    pub n_blobs: u64,
    /// Damaged or missing data; empty for an intact store.
    pub problems: Vec<StoreError>,
}

/// Maximum number of file problems listed.
const MAX_FILE_PROBLEMS: usize = 20;

/// Number of events read at a time.
const PAGE: usize = 1024;

impl DurableStore {
    /// Checks that the pages of a SQLite database are consistent and its blobs exist, without reading events or blobs.
    /// A server checks its own pages.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] with the first problem.
    pub async fn quick_check(&self) -> Result<(), StoreError> {
        let inner = &self.inner;
        if let StoreEngine::Sqlite(_) = inner.engine {
            let row = query("PRAGMA quick_check(1)").fetch_one(&inner.readers).await;
            let row = row.map_err(|error| inner.db.error(error))?;
            let verdict = Columns::new(&row, &inner.db).get::<String>("quick_check")?;
            if verdict != "ok" {
                return Err(inner.db.store_damaged(verdict));
            }
        }
        let BlobStore::Files(files) = &inner.blobs else {
            return Ok(());
        };
        let named = self.named_blobs().await?;
        let is_missing = |name: &&String| !BlobId::parse(name).is_some_and(|id| files.has(&id));
        match named.iter().filter(is_missing).count() {
            0 => Ok(()),
            n_missing => Err(inner.db.blob_damaged(format_args!(
                "{n_missing} of {} files in {} are missing",
                named.len(),
                files.root().display()
            ))),
        }
    }

    /// The names of all blobs that streams refer to.
    async fn named_blobs(&self) -> Result<Vec<String>, StoreError> {
        let inner = &self.inner;
        let named = query("SELECT DISTINCT blob FROM blob_refs ORDER BY blob");
        let named = named.fetch_all(&inner.readers).await;
        let named = named.map_err(|error| inner.db.error(error))?;
        named
            .iter()
            .map(|row| Columns::new(row, &inner.db).get::<String>("blob"))
            .collect()
    }

    /// Reads and checks every page of a SQLite database, every event and every blob; slow on a large store.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] with the first problem.
    pub async fn verify(&self) -> Result<(), StoreError> {
        let check = self.check_contents().await;
        check.problems.into_iter().next().map_or(Ok(()), Err)
    }

    /// Reads everything and collects all problems; slow on a large store.
    pub async fn check_contents(&self) -> ContentsCheck {
        let mut check = ContentsCheck::default();
        if let Err(error) = self.check_pages(&mut check).await {
            check.problems.push(error);
        }
        if let Err(error) = self.check_streams(&mut check).await {
            check.problems.push(error);
        }
        let letters = DeadLetterFilter {
            include_resubmitted: true,
            limit: Some(usize::MAX),
            ..DeadLetterFilter::default()
        };
        if let Err(error) = self.dead_letters(&letters).await {
            check.problems.push(error);
        }
        if let Err(error) = self.check_blobs(&mut check).await {
            check.problems.push(error);
        }
        check
    }

    async fn check_pages(&self, check: &mut ContentsCheck) -> Result<(), StoreError> {
        let inner = &self.inner;
        let StoreEngine::Sqlite(_) = inner.engine else {
            return Ok(());
        };
        let rows = query("PRAGMA integrity_check").fetch_all(&inner.readers).await;
        for row in rows
            .map_err(|error| inner.db.error(error))?
            .iter()
            .take(MAX_FILE_PROBLEMS)
        {
            let verdict = Columns::new(row, &inner.db).get::<String>("integrity_check")?;
            if verdict != "ok" {
                check.problems.push(inner.db.store_damaged(verdict));
            }
        }
        Ok(())
    }

    async fn check_streams(&self, check: &mut ContentsCheck) -> Result<(), StoreError> {
        let db = &self.inner.db;
        let unsealed = query("SELECT count(*) AS n FROM events WHERE seal IS NULL");
        check.n_unsealed = self.number(unsealed, "n").await?;
        let rows = query("SELECT no, id, kind, erased_at FROM streams ORDER BY no")
            .fetch_all(&self.inner.readers)
            .await;
        let rows = rows.map_err(|error| db.error(error))?;
        let mut last = 0;
        for row in &rows {
            let columns = Columns::new(row, db);
            let no = columns.get::<i64>("no")?;
            if no != last + 1 {
                let what = format!("the run or conversation before number {no} is missing");
                check.problems.push(db.store_damaged(what));
            }
            last = no;
            let kind = columns.kind("kind")?;
            let is_erased = columns.optional_time("erased_at")?.is_some();
            let stream = columns.stream("id")?;
            check.n_streams += 1;
            if let Err(error) = self.check_stream(&stream, kind, is_erased, check).await {
                check.problems.push(error);
            }
        }
        Ok(())
    }

    async fn check_stream(
        &self,
        stream: &StreamId,
        kind: StreamKind,
        is_erased: bool,
        check: &mut ContentsCheck,
    ) -> Result<(), StoreError> {
        if kind == StreamKind::Run {
            self.run(stream).await?;
        }
        let mut after = 0;
        loop {
            let (_, events) = self.read_stored(stream, after, PAGE).await?;
            let Some(last) = events.last() else { break };
            after = last.event.seq;
            check.n_events += events.len() as u64;
        }
        if kind == StreamKind::Run && !is_erased {
            self.board(stream).await?;
        }
        Ok(())
    }

    async fn check_blobs(&self, check: &mut ContentsCheck) -> Result<(), StoreError> {
        let inner = &self.inner;
        for name in self.named_blobs().await? {
            check.n_blobs += 1;
            let problem = match BlobId::parse(&name) {
                Some(id) => self.get(&id).await.err().map(|error| error.to_string()),
                None => Some(format!("`{name}` is not the name of a blob")),
            };
            check
                .problems
                .extend(problem.map(|problem| inner.db.blob_damaged(problem)));
        }
        Ok(())
    }
}
