//! The writer's connection: SQLite's only one, or one from PostgreSQL's pool that is replaced when it breaks.

use gemicro_core::store::StoreError;
use gemicro_event::Timestamp;
use sqlx::{Executor, PgPool, Row};

use crate::error::DbName;
use crate::home::OpenedFiles;
use crate::sql::Link;
use crate::written_counter::{WrittenCounter, WrittenTotal};

/// A connection for writing.
pub(crate) enum Connection {
    Sqlite {
        link: Link,
        /// Changes when another process commits.
        data_version: i64,
        written: WrittenCounter,
        files: OpenedFiles,
    },
    Postgres {
        pool: PgPool,
        /// `None` before the first use and after a failure.
        link: Option<Link>,
    },
}

/// A transaction that has begun.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OpenTransaction {
    /// Its start time, by the clock that leases are checked against.
    pub(crate) at: Timestamp,
    /// Whether other processes may have written since the last one.
    pub(crate) others_wrote: bool,
}

impl Connection {
    /// Begins a transaction that may write.
    pub(crate) async fn begin(&mut self) -> Result<OpenTransaction, sqlx::Error> {
        match self {
            Self::Sqlite {
                link, data_version, ..
            } => {
                let Link::Sqlite(connection) = link else {
                    return Err(sqlx::Error::PoolClosed);
                };
                let row = connection
                    .fetch_one("BEGIN IMMEDIATE; PRAGMA data_version")
                    .await?;
                let before = std::mem::replace(data_version, row.try_get(0)?);
                Ok(OpenTransaction {
                    at: Timestamp::now(),
                    others_wrote: before != *data_version,
                })
            }
            Self::Postgres { pool, link } => {
                // An idle connection may be broken; nothing has been sent yet, so a new one can replace it.
                if let Some(rested) = link
                    && let Ok(at) = begin_postgres(rested).await
                {
                    return Ok(OpenTransaction {
                        at,
                        others_wrote: true,
                    });
                }
                let fresh = link.insert(Link::Postgres(pool.acquire().await?));
                let at = begin_postgres(fresh).await?;
                Ok(OpenTransaction {
                    at,
                    others_wrote: true,
                })
            }
        }
    }

    /// Fails if the database files were deleted or replaced: new data would be lost with them.
    pub(crate) fn check_in_place(&self, db: &DbName) -> Result<(), StoreError> {
        match self {
            Self::Sqlite { files, .. } => match files.removed_file() {
                Some(path) => Err(db.file_removed(path)),
                None => Ok(()),
            },
            Self::Postgres { .. } => Ok(()),
        }
    }

    /// The total number of events including the new ones, inside a transaction; `None` on a server.
    pub(crate) async fn add_written(
        &mut self,
        db: &DbName,
        n_new: usize,
    ) -> Result<Option<WrittenTotal>, StoreError> {
        match self {
            Self::Sqlite { link, written, .. } if n_new > 0 => written.add(link, db, n_new).await.map(Some),
            Self::Sqlite { .. } | Self::Postgres { .. } => Ok(None),
        }
    }

    /// Records that the transaction with this total was committed.
    pub(crate) fn note_commit(&mut self, total: &WrittenTotal) {
        match self {
            Self::Sqlite { written, .. } => written.note_commit(total),
            Self::Postgres { .. } => {}
        }
    }

    /// Invalidates everything cached in memory.
    pub(crate) fn forget(&mut self) {
        match self {
            Self::Sqlite { written, .. } => written.forget(),
            Self::Postgres { .. } => {}
        }
    }

    pub(crate) fn link(&mut self) -> Result<&mut Link, sqlx::Error> {
        match self {
            Self::Sqlite { link, .. } => Ok(link),
            Self::Postgres { link, .. } => link.as_mut().ok_or(sqlx::Error::PoolClosed),
        }
    }

    /// Drops a connection that cannot be trusted any more.
    pub(crate) fn let_go(&mut self) {
        match self {
            Self::Sqlite { .. } => {}
            Self::Postgres { link, .. } => *link = None,
        }
    }

    pub(crate) async fn close(self) -> Result<(), sqlx::Error> {
        match self {
            Self::Sqlite { link, .. } => link.close().await,
            Self::Postgres { link: Some(link), .. } => link.close().await,
            Self::Postgres { link: None, .. } => Ok(()),
        }
    }
}

/// Begins a transaction and reads the time in one round trip.
async fn begin_postgres(link: &mut Link) -> Result<Timestamp, sqlx::Error> {
    let Link::Postgres(connection) = link else {
        return Err(sqlx::Error::PoolClosed);
    };
    let begin = "BEGIN; SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)";
    let row = (**connection).fetch_one(begin).await?;
    row.try_get(0).map(Timestamp::from_millis)
}
