//! The usage of the runs of a day, and the lock for reserving a share of the daily budget.
//!
//! The lock belongs to the operating system or the server, so it ends with the process that held it.

use std::fs::{File, OpenOptions};
use std::time::Duration;

use gemicro_core::store::StoreError;
use gemicro_event::{Charge, StreamId, Timestamp};
use rustix::fs::FlockOperation;
use sqlx::Executor;
use sqlx::postgres::PgConnection;

use crate::DurableStore;
use crate::columns::Columns;
use crate::error::io_error;
use crate::home::open_private;
use crate::sql::query;
use crate::store::StoreEngine;

/// Number of attempts to get a lock, and the pause between them.
const TRIES: u32 = 1_000;
const PAUSE: Duration = Duration::from_millis(20);

/// The usage of the runs started in a period.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PeriodUse {
    /// Usage of the runs that have ended.
    pub ended: Charge,
    /// The open runs, with their usage so far.
    pub open: Vec<(StreamId, Charge)>,
}

/// The lock for starting a run under a daily budget; released on drop.
#[derive(Debug)]
#[must_use = "the lock is given back when it is dropped"]
pub struct DayLock {
    _held: HeldLock,
}

#[derive(Debug)]
enum HeldLock {
    File { _file: File },
    Session { _connection: Box<PgConnection> },
}

impl DurableStore {
    /// Waits until no other process is starting a run under a daily budget.
    ///
    /// # Errors
    /// When the store cannot be reached, or another process holds the lock for too long.
    pub async fn lock_day(&self) -> Result<DayLock, StoreError> {
        let held = match &self.inner.engine {
            StoreEngine::Sqlite(home) => {
                let path = home.root().join("day.lock");
                let file = open_private(&path, OpenOptions::new().write(true).create(true))
                    .map_err(|error| io_error(&path, &error))?;
                let mut tries = 0;
                loop {
                    match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
                        Ok(()) => break HeldLock::File { _file: file },
                        Err(rustix::io::Errno::WOULDBLOCK) if tries < TRIES => {
                            tries += 1;
                            tokio::time::sleep(PAUSE).await;
                        }
                        Err(error) => return Err(io_error(&path, &error.into())),
                    }
                }
            }
            StoreEngine::Postgres(server) => {
                let db = &self.inner.db;
                let pooled = server.pool.acquire().await.map_err(|error| db.error(error))?;
                // The lock ends with the session, so this connection must not return to the pool.
                let mut connection = pooled.detach();
                let lock = "SELECT pg_advisory_lock(1684109676)";
                connection.execute(lock).await.map_err(|error| db.error(error))?;
                HeldLock::Session {
                    _connection: Box::new(connection),
                }
            }
        };
        Ok(DayLock { _held: held })
    }

    /// The usage of runs started in a period; child runs are included in their parent.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn used_by_runs(&self, from: Timestamp, to: Timestamp) -> Result<PeriodUse, StoreError> {
        let db = &self.inner.db;
        let rows = query(
            "SELECT * FROM runs JOIN streams ON streams.no = runs.stream_no \
             WHERE runs.started_at >= $1 AND runs.started_at < $2 AND NOT part_of_parent",
        )
        .bind(from.as_millis())
        .bind(to.as_millis())
        .fetch_all(&self.inner.readers)
        .await
        .map_err(|error| db.error(error))?;
        let mut used = PeriodUse::default();
        for row in &rows {
            let row = Columns::new(row, db).run_row()?;
            match row.status.is_terminal() {
                true => used.ended = used.ended.plus(row.spent),
                false => used.open.push((row.run, row.spent)),
            }
        }
        Ok(used)
    }
}
