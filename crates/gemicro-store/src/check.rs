//! Sizes and counts of the store, for `gemicro doctor`.

use std::path::PathBuf;

use gemicro_core::store::StoreError;

use crate::DurableStore;
use crate::columns::Columns;
use crate::error::io_error;
use crate::open::FORMAT;
use crate::postgres;
use crate::prune::BLOB_BYTES;
use crate::sql::{Query, query};
use crate::store::StoreEngine;

/// The state of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreCheck {
    /// The database file, or the address of the server without a password.
    pub path: PathBuf,
    /// Version of the tables in the store.
    pub format: i64,
    /// Size of the database in bytes, including SQLite's other files.
    pub db_bytes: u64,
    /// Size of the blobs in use, in bytes.
    pub blob_bytes: u64,
    /// Number of runs, including erased ones.
    pub n_runs: u64,
    /// Free disk space for this user, in bytes; `u64::MAX` on a server, which does not report it.
    pub free_bytes: u64,
}

impl DurableStore {
    /// Whether its files were deleted or replaced. Nothing can be saved until they are back.
    #[must_use]
    pub fn is_removed(&self) -> bool {
        let files = self.inner.files.as_ref();
        files.is_some_and(|files| files.removed_file().is_some())
    }

    /// Sizes and counts; fast on a store of any size.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn check(&self) -> Result<StoreCheck, StoreError> {
        let inner = &self.inner;
        let (format, db_bytes, free_bytes) = match &inner.engine {
            StoreEngine::Sqlite(home) => {
                let sizes = home.db_files();
                let sizes = sizes.map(|file| std::fs::metadata(file).map_or(0, |found| found.len()));
                let disk = rustix::fs::statvfs(home.root());
                let disk = disk.map_err(|error| io_error(home.root(), &error.into()))?;
                let free_bytes = disk.f_bavail.saturating_mul(disk.f_frsize);
                (FORMAT, sizes.iter().sum(), free_bytes)
            }
            StoreEngine::Postgres(_) => {
                let size = query("SELECT pg_database_size(current_database()) AS n");
                (postgres::FORMAT, self.number(size, "n").await?, u64::MAX)
            }
        };
        Ok(StoreCheck {
            path: PathBuf::from(inner.db.as_str()),
            format,
            db_bytes,
            blob_bytes: self.number(query(BLOB_BYTES), "n_bytes").await?,
            n_runs: self.number(query("SELECT count(*) AS n FROM runs"), "n").await?,
            free_bytes,
        })
    }

    pub(crate) async fn number(&self, query: Query, name: &'static str) -> Result<u64, StoreError> {
        let inner = &self.inner;
        let row = query.fetch_one(&inner.readers).await;
        let row = row.map_err(|error| inner.db.error(error))?;
        Columns::new(&row, &inner.db).number(name)
    }
}
