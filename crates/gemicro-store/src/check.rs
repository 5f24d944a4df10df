//! How the store is doing, for `gemicro doctor`.

use std::path::PathBuf;

use gemicro_core::blob::{BlobId, Blobs};
use gemicro_core::store::StoreError;
use sqlx::{Executor, Row};

use crate::SqliteStore;
use crate::error::io_error;
use crate::open::FORMAT;

/// The state of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreCheck {
    /// The database file.
    pub path: PathBuf,
    /// Its format.
    pub format: i64,
    /// Bytes of the database and of what SQLite keeps beside it.
    pub db_bytes: u64,
    /// Bytes of the blobs that streams need.
    pub blob_bytes: u64,
    /// Runs, erased ones included.
    pub n_runs: u64,
    /// Bytes this user can still write to the disk.
    pub free_bytes: u64,
}

impl SqliteStore {
    /// Sizes and counts; quick on a store of any size.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn check(&self) -> Result<StoreCheck, StoreError> {
        let inner = &self.inner;
        let counts = "SELECT (SELECT count(*) FROM runs), \
                      (SELECT coalesce(sum(n_bytes), 0) FROM (SELECT DISTINCT blob, n_bytes FROM blob_refs))";
        let row = inner
            .readers
            .fetch_one(counts)
            .await
            .map_err(|error| inner.db.error(error))?;
        let number = |index: usize| {
            row.try_get::<i64, _>(index)
                .map_err(|error| inner.db.error(error))
        };
        let sizes = inner
            .home
            .db_files()
            .map(|file| std::fs::metadata(file).map_or(0, |found| found.len()));
        let disk = rustix::fs::statvfs(inner.home.root());
        let disk = disk.map_err(|error| io_error(inner.home.root(), &error.into()))?;
        Ok(StoreCheck {
            path: inner.db.path().to_owned(),
            format: FORMAT,
            db_bytes: sizes.iter().sum(),
            blob_bytes: number(1)?.cast_unsigned(),
            n_runs: number(0)?.cast_unsigned(),
            free_bytes: disk.f_bavail.saturating_mul(disk.f_frsize),
        })
    }

    /// Reads every page of the database and every blob, and checks them; slow on a large store.
    ///
    /// # Errors
    /// [`StoreError::Damaged`] naming the first thing that is wrong.
    pub async fn verify(&self) -> Result<(), StoreError> {
        let inner = &self.inner;
        let row = inner
            .readers
            .fetch_one("PRAGMA integrity_check(1)")
            .await
            .map_err(|error| inner.db.error(error))?;
        match row.try_get::<String, _>(0) {
            Ok(verdict) if verdict == "ok" => self.verify_blobs().await,
            Ok(verdict) => Err(inner.db.damaged(verdict)),
            Err(error) => Err(inner.db.error(error)),
        }
    }

    async fn verify_blobs(&self) -> Result<(), StoreError> {
        let inner = &self.inner;
        let named = sqlx::query_scalar::<_, String>("SELECT DISTINCT blob FROM blob_refs ORDER BY blob")
            .fetch_all(&inner.readers)
            .await
            .map_err(|error| inner.db.error(error))?;
        for name in named {
            let Some(id) = BlobId::parse(&name) else {
                return Err(inner.db.damaged(format!("`{name}` is not the name of a blob")));
            };
            self.get(&id)
                .await
                .map_err(|error| inner.db.damaged(error.to_string()))?;
        }
        Ok(())
    }
}
