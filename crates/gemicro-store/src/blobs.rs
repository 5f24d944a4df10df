//! The port to blobs: a file, and a row that says which stream needs it.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use gemicro_core::blob::{BlobError, BlobId, Blobs};
use gemicro_core::store::StoreError;
use gemicro_event::{StreamId, Timestamp};

use crate::SqliteStore;
use crate::error::io_error;
use crate::read::read_head;
use crate::store::blocking;
use crate::writer::Scope;

impl Blobs for SqliteStore {
    fn put(&self, stream: &StreamId, bytes: Vec<u8>) -> BoxFuture<'_, Result<BlobId, BlobError>> {
        let stream = stream.clone();
        Box::pin(async move {
            let id = BlobId::of(&bytes);
            let stored = self.put_blob(stream, id.clone(), bytes.into()).await;
            stored.map_err(|error| BlobError::Io {
                id: id.clone(),
                message: error.to_string(),
            })?;
            Ok(id)
        })
    }

    fn get(&self, id: &BlobId) -> BoxFuture<'_, Result<Arc<[u8]>, BlobError>> {
        let id = id.clone();
        let blobs = self.inner.blobs.clone();
        Box::pin(async move {
            let wanted = id.clone();
            let read = tokio::task::spawn_blocking(move || blobs.read(&wanted)).await;
            let bytes = read.unwrap_or_else(|error| {
                Err(BlobError::Io {
                    id,
                    message: error.to_string(),
                })
            })?;
            Ok(bytes.into())
        })
    }
}

impl SqliteStore {
    async fn put_blob(&self, stream: StreamId, id: BlobId, bytes: Arc<[u8]>) -> Result<(), StoreError> {
        let blobs = self.inner.blobs.clone();
        let (to_write, name) = (Arc::clone(&bytes), id.clone());
        blocking(move || {
            blobs
                .write(&name, &to_write)
                .map_err(|error| io_error(&blobs.path(&name), &error))
        })
        .await?;
        let (db, blobs) = (self.inner.db.clone(), self.inner.blobs.clone());
        self.transact(Scope::Beside, move |connection| {
            Box::pin(async move {
                match read_head(&mut *connection, &db, &stream).await {
                    Ok(head) => head.check_not_erased(&stream)?,
                    // The contents of a run may come before its first event.
                    Err(StoreError::NotFound { .. }) => {}
                    Err(error) => return Err(error),
                }
                // Inside a write transaction no other process deletes blob files; see `erase`.
                if !blobs.has(&id) {
                    blobs
                        .write(&id, &bytes)
                        .map_err(|error| io_error(&blobs.path(&id), &error))?;
                }
                sqlx::query(
                    "INSERT INTO blob_refs (stream, blob, n_bytes, at_ms) VALUES (?, ?, ?, ?) \
                     ON CONFLICT (stream, blob) DO NOTHING",
                )
                .bind(stream.as_str())
                .bind(id.as_str())
                .bind((bytes.len() as u64).cast_signed())
                .bind(Timestamp::now().as_millis())
                .execute(connection)
                .await
                .map(drop)
                .map_err(|error| db.error(error))
            })
        })
        .await
    }
}
