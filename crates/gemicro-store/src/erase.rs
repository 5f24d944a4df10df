//! Erasing a stream: the database forgets first, then the files go.
//!
//! A crash in between leaves files that nobody names; [`SqliteStore::sweep`] removes them. Blob files are
//! deleted only inside write transactions: whoever names a blob looks for its file inside one too, so a
//! blob in use is never lost.

use std::time::Duration;

use gemicro_core::blob::BlobId;
use gemicro_core::store::{Lease, StoreError};
use gemicro_event::{StreamId, Timestamp};
use sqlx::{Executor, SqliteConnection};

use crate::SqliteStore;
use crate::blob_files::BlobFiles;
use crate::columns::Columns;
use crate::error::{DbFile, io_error};
use crate::store::blocking;
use crate::writer::{Scope, held};

/// What erasing freed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Erased {
    /// Events that are gone.
    pub n_events: u64,
    /// Blob files that are gone; those that other streams need stay.
    pub n_blobs: u64,
    /// Bytes of those files.
    pub blob_bytes: u64,
}

/// What a sweep removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Swept {
    /// Blob files that no stream needs.
    pub n_blobs: u64,
    /// Their bytes.
    pub blob_bytes: u64,
}

/// Files that are younger than this may be about to be named.
const SETTLED: Duration = Duration::from_secs(3600);

/// Files deleted per write transaction, so that appends need not wait long.
const BATCH: usize = 256;

impl SqliteStore {
    /// Erases the contents of a stream for good and leaves a tombstone. Erasing twice is harmless.
    ///
    /// # Errors
    /// [`StoreError::LeaseHeld`] while somebody works on it; [`StoreError::NotFound`] when there is none.
    pub async fn erase(&self, stream: &StreamId) -> Result<Erased, StoreError> {
        let erased = self.erase_contents(stream).await?;
        self.shrink().await?;
        Ok(erased)
    }

    /// Erases without giving the freed pages back.
    pub(crate) async fn erase_contents(&self, stream: &StreamId) -> Result<Erased, StoreError> {
        let db = self.inner.db.clone();
        let target = stream.clone();
        let (n_events, blobs) = self
            .transact(Scope::Streams, move |connection| {
                Box::pin(async move { forget(connection, &db, &target).await })
            })
            .await?;
        self.inner.wakes.wake(stream);
        let swept = self.remove_unneeded(blobs).await?;
        Ok(Erased {
            n_events,
            n_blobs: swept.n_blobs,
            blob_bytes: swept.blob_bytes,
        })
    }

    /// Removes blob files that no stream needs (an erase or an append was cut off) and half-written ones.
    ///
    /// # Errors
    /// When the store cannot be read or files cannot be removed.
    pub async fn sweep(&self) -> Result<Swept, StoreError> {
        self.sweep_older_than(SETTLED).await
    }

    pub(crate) async fn sweep_older_than(&self, age: Duration) -> Result<Swept, StoreError> {
        let db = self.inner.db.clone();
        // Contents that were put for a run which then never began.
        let before = Timestamp::now().as_millis() - i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
        self.transact(Scope::Beside, move |connection| {
            Box::pin(async move {
                sqlx::query(
                    "DELETE FROM blob_refs WHERE at_ms < ? AND stream NOT IN (SELECT id FROM streams)",
                )
                .bind(before)
                .execute(connection)
                .await
                .map_err(|error| db.error(error))
            })
        })
        .await?;
        let blobs = self.inner.blobs.clone();
        let root = self.inner.home.blobs();
        let settled =
            blocking(move || blobs.older_than(age).map_err(|error| io_error(&root, &error))).await?;
        self.remove_unneeded(settled).await
    }

    /// Deletes those of these blobs that no stream needs.
    async fn remove_unneeded(&self, blobs: Vec<BlobId>) -> Result<Swept, StoreError> {
        let mut swept = Swept::default();
        for batch in blobs.chunks(BATCH) {
            let (db, files, batch) = (self.inner.db.clone(), self.inner.blobs.clone(), batch.to_vec());
            let removed = self
                .transact(Scope::Beside, move |connection| {
                    Box::pin(async move { remove_batch(connection, &db, &files, &batch).await })
                })
                .await?;
            swept.n_blobs += removed.n_blobs;
            swept.blob_bytes += removed.blob_bytes;
        }
        Ok(swept)
    }

    /// Gives freed pages back to the disk and empties the write-ahead log, which still holds what was erased.
    pub(crate) async fn shrink(&self) -> Result<(), StoreError> {
        let db = self.inner.db.clone();
        self.transact(Scope::Beside, move |connection| {
            Box::pin(async move {
                connection
                    .execute("PRAGMA incremental_vacuum")
                    .await
                    .map(drop)
                    .map_err(|error| db.error(error))
            })
        })
        .await?;
        self.checkpoint().await
    }
}

/// Removes a stream's contents from the tables; answers how many events and which blobs it had.
async fn forget(
    connection: &mut SqliteConnection,
    db: &DbFile,
    stream: &StreamId,
) -> Result<(u64, Vec<BlobId>), StoreError> {
    let fail = |error| db.error(error);
    let query = sqlx::query("SELECT * FROM streams WHERE id = ?").bind(stream.as_str());
    let row = query.fetch_optional(&mut *connection).await.map_err(fail)?;
    let row = row.ok_or_else(|| StoreError::NotFound {
        stream: stream.to_string(),
    })?;
    let columns = Columns::new(&row, db);
    let now = Timestamp::now();
    let expires_at = columns.time("lease_expires_at")?;
    if let Some(owner) = columns.get::<Option<String>>("lease_owner")?
        && expires_at > now
    {
        let epoch = columns.number("lease_epoch")?;
        return Err(held(&Lease {
            stream: stream.clone(),
            owner,
            epoch,
            expires_at,
        }));
    }
    let no = columns.get::<i64>("no")?;
    let query = sqlx::query_scalar::<_, String>("SELECT blob FROM blob_refs WHERE stream = ?");
    let blobs = query
        .bind(stream.as_str())
        .fetch_all(&mut *connection)
        .await
        .map_err(fail)?;
    let deleted = sqlx::query("DELETE FROM events WHERE stream_no = ?")
        .bind(no)
        .execute(&mut *connection)
        .await;
    let n_events = deleted.map_err(fail)?.rows_affected();
    for table in [
        "DELETE FROM running_steps WHERE stream_no = ?",
        "DELETE FROM dead_letters WHERE stream_no = ?",
        "DELETE FROM commands WHERE stream_no = ?",
        "DELETE FROM snapshots WHERE stream_no = ?",
        "UPDATE runs SET title = 'erased' WHERE stream_no = ?",
        "DELETE FROM blob_refs WHERE stream = (SELECT id FROM streams WHERE no = ?)",
        "UPDATE streams SET first_seq = last_seq + 1, lease_owner = NULL WHERE no = ?",
    ] {
        sqlx::query(table)
            .bind(no)
            .execute(&mut *connection)
            .await
            .map_err(fail)?;
    }
    sqlx::query("UPDATE streams SET erased_at = coalesce(erased_at, ?) WHERE no = ?")
        .bind(now.as_millis())
        .bind(no)
        .execute(connection)
        .await
        .map_err(fail)?;
    Ok((
        n_events,
        blobs.iter().filter_map(|blob| BlobId::parse(blob)).collect(),
    ))
}

async fn remove_batch(
    connection: &mut SqliteConnection,
    db: &DbFile,
    files: &BlobFiles,
    blobs: &[BlobId],
) -> Result<Swept, StoreError> {
    let mut swept = Swept::default();
    for blob in blobs {
        let query = sqlx::query_scalar::<_, bool>("SELECT EXISTS (SELECT 1 FROM blob_refs WHERE blob = ?)");
        let is_needed = query.bind(blob.as_str()).fetch_one(&mut *connection).await;
        if is_needed.map_err(|error| db.error(error))? {
            continue;
        }
        let freed = files
            .remove(blob)
            .map_err(|error| io_error(&files.path(blob), &error))?;
        if freed > 0 {
            swept.n_blobs += 1;
            swept.blob_bytes += freed;
        }
    }
    Ok(swept)
}
