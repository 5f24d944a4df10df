//! Implements the blob port: a blob, and a row with the stream that needs it.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use gemicro_core::blob::{BlobError, BlobId, Blobs};
use gemicro_core::store::StoreError;
use gemicro_event::{StreamId, Timestamp};

use crate::DurableStore;
use crate::read::lock_head;
use crate::sql::query;
use crate::writer::JobScope;

impl Blobs for DurableStore {
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
        Box::pin(async move {
            let inner = &self.inner;
            let bytes = inner.blobs.read(&inner.readers, &inner.db, &id).await?;
            Ok(bytes.into())
        })
    }
}

impl DurableStore {
    async fn put_blob(&self, stream: StreamId, id: BlobId, bytes: Arc<[u8]>) -> Result<(), StoreError> {
        let prepared = vec![(id.clone(), bytes.to_vec())];
        self.inner.blobs.prepare(prepared).await?;
        let (db, blobs) = (self.inner.db.clone(), self.inner.blobs.clone());
        self.transact(JobScope::Beside, move |connection| {
            Box::pin(async move {
                match lock_head(connection, &db, &stream).await {
                    Ok(head) => head.check_not_erased(&stream)?,
                    // The blobs of a run may be stored before its first event.
                    Err(StoreError::NotFound { .. }) => {}
                    Err(error) => return Err(error),
                }
                blobs.keep(connection, &db, &[(id.clone(), &bytes)]).await?;
                query(
                    "INSERT INTO blob_refs (stream, blob, n_bytes, at_ms) VALUES ($1, $2, $3, $4) \
                     ON CONFLICT (stream, blob) DO NOTHING",
                )
                .bind(stream.as_str())
                .bind(id.as_str())
                .bind(bytes.len() as u64)
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
