//! Storage of blobs: files next to SQLite, or a table in PostgreSQL.
//!
//! A row may refer to a blob only after `keep` in the same write transaction, and blobs are deleted only inside one
//! (`remove`), so a blob in use is never lost. SQLite has one writer at a time; on PostgreSQL a lock separates the two.

use gemicro_core::blob::{BlobError, BlobId};
use gemicro_core::store::StoreError;

use crate::blob_files::BlobFiles;
use crate::columns::Columns;
use crate::error::{DbName, io_error};
use crate::sql::{ConnectionPool, Link, SqlTarget, query};
use crate::store::run_blocking;

/// The blobs of a store; clones share them.
#[derive(Debug, Clone)]
pub(crate) enum BlobStore {
    Files(BlobFiles),
    Table,
}

impl BlobStore {
    /// Writes blob files before the transaction that refers to them.
    pub(crate) async fn prepare(&self, blobs: Vec<(BlobId, Vec<u8>)>) -> Result<(), StoreError> {
        match self {
            Self::Table => Ok(()),
            Self::Files(files) => {
                let files = files.clone();
                let write = move || blobs.iter().try_for_each(|(id, bytes)| write(&files, id, bytes));
                run_blocking(write).await
            }
        }
    }

    /// Makes sure, inside a write transaction, that these blobs exist and stay. Blob files were usually written by
    /// `prepare`.
    pub(crate) async fn keep(
        &self,
        link: &mut Link,
        db: &DbName,
        blobs: &[(BlobId, &[u8])],
    ) -> Result<(), StoreError> {
        if blobs.is_empty() {
            return Ok(());
        }
        match self {
            Self::Files(files) => {
                let missing = blobs.iter().filter(|(id, _)| !files.has(id));
                missing
                    .into_iter()
                    .try_for_each(|(id, bytes)| write(files, id, bytes))
            }
            Self::Table => {
                let fail = |error| db.error(error);
                lock(link, BlobUse::Name).await.map_err(fail)?;
                for (id, bytes) in blobs {
                    query("INSERT INTO blobs (id, bytes) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING")
                        .bind(id.as_str())
                        .bind(bytes.to_vec())
                        .execute(&mut *link)
                        .await
                        .map_err(fail)?;
                }
                Ok(())
            }
        }
    }

    /// Reads a blob and checks its hash.
    pub(crate) async fn read<'t>(
        &self,
        target: impl SqlTarget<'t>,
        db: &DbName,
        id: &BlobId,
    ) -> Result<Vec<u8>, BlobError> {
        let failed = |message: String| BlobError::Io {
            id: id.clone(),
            message,
        };
        match self {
            Self::Files(files) => {
                let (files, wanted) = (files.clone(), id.clone());
                let read = tokio::task::spawn_blocking(move || files.read(&wanted)).await;
                read.unwrap_or_else(|error| Err(failed(error.to_string())))
            }
            Self::Table => {
                let query = query("SELECT bytes FROM blobs WHERE id = $1").bind(id.as_str());
                let row = query.fetch_optional(target).await;
                let row = row.map_err(|error| failed(db.error(error).to_string()))?;
                let row = row.ok_or_else(|| BlobError::Missing { id: id.clone() })?;
                let bytes = Columns::new(&row, db).get::<Vec<u8>>("bytes");
                let bytes = bytes.map_err(|error| failed(error.to_string()))?;
                if BlobId::of(&bytes) == *id {
                    Ok(bytes)
                } else {
                    Err(BlobError::Damaged { id: id.clone() })
                }
            }
        }
    }

    /// Prevents new references to blobs until the end of the transaction, so that unneeded ones can be deleted.
    pub(crate) async fn hold(&self, link: &mut Link) -> Result<(), sqlx::Error> {
        match self {
            Self::Files(_) => Ok(()),
            Self::Table => lock(link, BlobUse::Delete).await,
        }
    }

    /// Deletes a blob inside the transaction and returns its size; 0 if it does not exist.
    pub(crate) async fn remove(&self, link: &mut Link, db: &DbName, id: &BlobId) -> Result<u64, StoreError> {
        match self {
            Self::Files(files) => files
                .remove(id)
                .map_err(|error| io_error(&files.path(id), &error)),
            Self::Table => {
                let query = query(
                    "DELETE FROM blobs WHERE id = $1 RETURNING CAST(octet_length(bytes) AS BIGINT) AS n_bytes",
                );
                let row = query.bind(id.as_str()).fetch_optional(link).await;
                let row = row.map_err(|error| db.error(error))?;
                row.map_or(Ok(0), |row| Columns::new(&row, db).number("n_bytes"))
            }
        }
    }

    /// Blobs that an interrupted operation may have left behind; some of them may be in use.
    pub(crate) async fn suspects(
        &self,
        readers: &ConnectionPool,
        db: &DbName,
        age: std::time::Duration,
    ) -> Result<Vec<BlobId>, StoreError> {
        match self {
            Self::Files(files) => {
                let files = files.clone();
                run_blocking(move || {
                    files
                        .older_than(age)
                        .map_err(|error| io_error(files.root(), &error))
                })
                .await
            }
            // References and blobs are written in one transaction here, so a blob without references is left over.
            Self::Table => {
                let query = query(
                    "SELECT id FROM blobs WHERE NOT EXISTS (SELECT 1 FROM blob_refs WHERE blob = blobs.id)",
                );
                let rows = query.fetch_all(readers).await.map_err(|error| db.error(error))?;
                let id = |row| -> Result<Option<BlobId>, StoreError> {
                    Ok(BlobId::parse(&Columns::new(row, db).get::<String>("id")?))
                };
                rows.iter().filter_map(|row| id(row).transpose()).collect()
            }
        }
    }
}

fn write(files: &BlobFiles, id: &BlobId, bytes: &[u8]) -> Result<(), StoreError> {
    files
        .write(id, bytes)
        .map_err(|error| io_error(&files.path(id), &error))
}

/// The use of blobs in a transaction.
enum BlobUse {
    Name,
    Delete,
}

/// Many transactions may refer to blobs at once, but none while another deletes. The lock number is "blob".
async fn lock(link: &mut Link, what: BlobUse) -> Result<(), sqlx::Error> {
    let lock = match what {
        BlobUse::Name => query("SELECT pg_advisory_xact_lock_shared(1651273570)"),
        BlobUse::Delete => query("SELECT pg_advisory_xact_lock(1651273570)"),
    };
    lock.execute(link).await.map(drop)
}
