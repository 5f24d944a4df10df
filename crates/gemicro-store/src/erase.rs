//! Erases streams: first the rows, then the blobs.
//!
//! A crash in between leaves unreferenced files; [`DurableStore::sweep`] removes them. Blob files are deleted only
//! inside write transactions, and a new reference checks for its file inside one too, so a blob in use is never lost.

use std::time::Duration;

use gemicro_core::blob::BlobId;
use gemicro_core::store::{Lease, StoreError};
use gemicro_event::{StreamId, Timestamp};

use crate::DurableStore;
use crate::blob_store::BlobStore;
use crate::columns::Columns;
use crate::error::DbName;
use crate::sql::{Link, query};
use crate::store::StoreEngine;
use crate::writer::{JobScope, held_by_other};

/// How much was erased, and the space that it freed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ErasedCounts {
    /// Number of erased events.
    pub n_events: u64,
    /// Number of deleted blobs; those that other streams need stay.
    pub n_blobs: u64,
    /// Size of these blobs, in bytes.
    pub blob_bytes: u64,
}

/// The blobs that a sweep removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SweptBlobs {
    /// Number of blobs that no stream needed.
    pub n_blobs: u64,
    /// Size of these blobs, in bytes.
    pub blob_bytes: u64,
}

/// Minimum age of an unreferenced blob; a younger one may be about to be referenced.
const SETTLED: Duration = Duration::from_secs(3600);

/// Number of files deleted per write transaction, so that appends need not wait long.
const BATCH: usize = 256;

impl DurableStore {
    /// Permanently erases the contents of a stream and leaves a tombstone. Erasing twice is harmless.
    ///
    /// # Errors
    /// [`StoreError::LeaseHeld`] while a driver works on it; [`StoreError::NotFound`] if it does not exist.
    pub async fn erase(&self, stream: &StreamId) -> Result<ErasedCounts, StoreError> {
        let erased = self.erase_contents(stream).await?;
        for steps in self.steps_of(stream).await? {
            self.erase_contents(&steps).await?;
        }
        self.shrink().await?;
        Ok(erased)
    }

    /// The streams with the workers' reports about the steps of a run.
    pub(crate) async fn steps_of(&self, run: &StreamId) -> Result<Vec<StreamId>, StoreError> {
        let db = &self.inner.db;
        let steps =
            query("SELECT id FROM streams WHERE kind = 'steps' AND parent_run = $1 AND erased_at IS NULL");
        let rows = steps.bind(run.as_str()).fetch_all(&self.inner.readers).await;
        let rows = rows.map_err(|error| db.error(error))?;
        rows.iter()
            .map(|row| Columns::new(row, db).stream("id"))
            .collect()
    }

    /// Erases without returning the freed pages to the disk.
    pub(crate) async fn erase_contents(&self, stream: &StreamId) -> Result<ErasedCounts, StoreError> {
        let db = self.inner.db.clone();
        let target = stream.clone();
        let (n_events, blobs) = self
            .transact(JobScope::Streams, move |connection| {
                Box::pin(async move { forget(connection, &db, &target).await })
            })
            .await?;
        self.inner.wakes.wake(stream, || None);
        let swept = self.remove_unneeded(blobs).await?;
        Ok(ErasedCounts {
            n_events,
            n_blobs: swept.n_blobs,
            blob_bytes: swept.blob_bytes,
        })
    }

    /// Removes blobs that no stream needs, left by an interrupted erase or append, and half-written files.
    ///
    /// # Errors
    /// When the store cannot be read or files cannot be removed.
    pub async fn sweep(&self) -> Result<SweptBlobs, StoreError> {
        self.sweep_older_than(SETTLED).await
    }

    pub(crate) async fn sweep_older_than(&self, age: Duration) -> Result<SweptBlobs, StoreError> {
        let db = self.inner.db.clone();
        // Blobs that were stored for a run which never started.
        let before = Timestamp::now().as_millis() - i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
        self.transact(JobScope::Beside, move |connection| {
            Box::pin(async move {
                query("DELETE FROM blob_refs WHERE at_ms < $1 AND stream NOT IN (SELECT id FROM streams)")
                    .bind(before)
                    .execute(connection)
                    .await
                    .map_err(|error| db.error(error))
            })
        })
        .await?;
        let inner = &self.inner;
        let suspects = inner.blobs.suspects(&inner.readers, &inner.db, age).await?;
        self.remove_unneeded(suspects).await
    }

    /// Deletes the given blobs that no stream needs.
    async fn remove_unneeded(&self, blobs: Vec<BlobId>) -> Result<SweptBlobs, StoreError> {
        let mut swept = SweptBlobs::default();
        for batch in blobs.chunks(BATCH) {
            let (db, files, batch) = (self.inner.db.clone(), self.inner.blobs.clone(), batch.to_vec());
            let removed = self
                .transact(JobScope::Beside, move |connection| {
                    Box::pin(async move { remove_batch(connection, &db, &files, &batch).await })
                })
                .await?;
            swept.n_blobs += removed.n_blobs;
            swept.blob_bytes += removed.blob_bytes;
        }
        Ok(swept)
    }

    /// Returns freed pages to the disk and empties the write-ahead log, which still holds the erased data.
    pub(crate) async fn shrink(&self) -> Result<(), StoreError> {
        if matches!(self.inner.engine, StoreEngine::Postgres(_)) {
            // The server does this itself.
            return Ok(());
        }
        let db = self.inner.db.clone();
        self.transact(JobScope::Beside, move |connection| {
            Box::pin(async move {
                let vacuum = connection.script("PRAGMA incremental_vacuum").await;
                vacuum.map_err(|error| db.error(error))
            })
        })
        .await?;
        self.checkpoint().await
    }
}

/// Removes a stream's contents from the tables; returns the number of its events, and its blobs.
async fn forget(
    connection: &mut Link,
    db: &DbName,
    stream: &StreamId,
) -> Result<(u64, Vec<BlobId>), StoreError> {
    let fail = |error| db.error(error);
    let head = query("SELECT * FROM streams WHERE id = $1 FOR UPDATE").bind(stream.as_str());
    let row = head.fetch_optional(&mut *connection).await.map_err(fail)?;
    let row = row.ok_or_else(|| StoreError::NotFound {
        stream: stream.to_string(),
    })?;
    let columns = Columns::new(&row, db);
    let now = connection.now().await.map_err(fail)?;
    let expires_at = columns.time("lease_expires_at")?;
    if let Some(owner) = columns.get::<Option<String>>("lease_owner")?
        && expires_at > now
    {
        let epoch = columns.number("lease_epoch")?;
        return Err(held_by_other(&Lease {
            stream: stream.clone(),
            owner,
            epoch,
            expires_at,
        }));
    }
    let no = columns.get::<i64>("no")?;
    let blobs = query("SELECT blob FROM blob_refs WHERE stream = $1")
        .bind(stream.as_str())
        .fetch_all(&mut *connection)
        .await
        .map_err(fail)?;
    let blob = |row| -> Result<Option<BlobId>, StoreError> {
        Ok(BlobId::parse(&Columns::new(row, db).get::<String>("blob")?))
    };
    let blobs = blobs.iter().filter_map(|row| blob(row).transpose());
    let blobs = blobs.collect::<Result<_, _>>()?;
    let n_events = query("DELETE FROM events WHERE stream_no = $1")
        .bind(no)
        .execute(&mut *connection)
        .await
        .map_err(fail)?;
    for table in [
        "DELETE FROM running_steps WHERE stream_no = $1",
        "DELETE FROM dead_letters WHERE stream_no = $1",
        "DELETE FROM commands WHERE stream_no = $1",
        "DELETE FROM queue WHERE no IN (SELECT no FROM queue WHERE stream_no = $1 ORDER BY no FOR UPDATE)",
        "DELETE FROM snapshots WHERE stream_no = $1",
        "DELETE FROM board WHERE stream_no = $1",
        "UPDATE runs SET title = 'erased', seal = NULL WHERE stream_no = $1",
        "DELETE FROM blob_refs WHERE stream = (SELECT id FROM streams WHERE no = $1)",
        "UPDATE streams SET first_seq = last_seq + 1, lease_owner = NULL WHERE no = $1",
    ] {
        query(table)
            .bind(no)
            .execute(&mut *connection)
            .await
            .map_err(fail)?;
    }
    query("UPDATE streams SET erased_at = coalesce(erased_at, $1) WHERE no = $2")
        .bind(now.as_millis())
        .bind(no)
        .execute(connection)
        .await
        .map_err(fail)?;
    Ok((n_events, blobs))
}

async fn remove_batch(
    connection: &mut Link,
    db: &DbName,
    files: &BlobStore,
    blobs: &[BlobId],
) -> Result<SweptBlobs, StoreError> {
    let fail = |error| db.error(error);
    let mut swept = SweptBlobs::default();
    files.hold(connection).await.map_err(fail)?;
    for blob in blobs {
        let needed = query("SELECT 1 AS needed FROM blob_refs WHERE blob = $1 LIMIT 1").bind(blob.as_str());
        let needed = needed.fetch_optional(&mut *connection).await.map_err(fail)?;
        if needed.is_some() {
            continue;
        }
        let freed = files.remove(connection, db, blob).await?;
        if freed > 0 {
            swept.n_blobs += 1;
            swept.blob_bytes += freed;
        }
    }
    Ok(swept)
}
