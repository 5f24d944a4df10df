//! What the runs of a day use, and the lock under which the next one takes its part.
//!
//! The lock is the operating system's or the server's: it is gone with the process that held it.

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

/// How often a lock that another process holds is tried, and the time between two tries.
const TRIES: u32 = 1_000;
const PAUSE: Duration = Duration::from_millis(20);

/// What the runs that began in some time use.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PeriodUse {
    /// What those that have ended used.
    pub ended: Charge,
    /// Those that have not, with what they used so far.
    pub open: Vec<(StreamId, Charge)>,
}

/// Held by whoever begins a run under a budget for the day; dropping it lets the next one.
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
    /// Waits until no other process begins a run under a budget for the day.
    ///
    /// # Errors
    /// When the store cannot be reached, or the lock is held for long.
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
                // The lock ends with the session, so the connection does not go back to the pool.
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

    /// What runs that began in this time use; runs that are steps of another are in that one.
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
