//! One transaction for all requests that wait.

use std::collections::{BTreeSet, HashMap};

use gemicro_core::store::{StoreError, StreamKind};
use gemicro_event::{StepKey, StreamId};
use sqlx::{Executor, Row, SqliteConnection};

use super::flush::{Changes, flush};
use super::request::{Action, Done, Request};
use super::state::StreamState;
use crate::blob_files::BlobFiles;
use crate::columns::Columns;
use crate::error::{DbFile, io_error};

/// Streams in memory are dropped when there are more than this.
const MAX_CACHED_STREAMS: usize = 2048;

/// The answer to each request, and the streams that changed.
type Written = (Vec<Result<Done, StoreError>>, BTreeSet<StreamId>);

/// The connection, and what is known of the streams in it.
pub(crate) struct Group {
    pub(crate) connection: SqliteConnection,
    pub(crate) db: DbFile,
    pub(crate) blobs: BlobFiles,
    streams: HashMap<StreamId, StreamState>,
    /// Number of the next stream; `None` when another process may have made one.
    next_no: Option<i64>,
    /// Changes when another process commits.
    data_version: i64,
}

impl Group {
    pub(crate) fn new(connection: SqliteConnection, db: DbFile, blobs: BlobFiles) -> Self {
        Self {
            connection,
            db,
            blobs,
            streams: HashMap::new(),
            next_no: None,
            data_version: -1,
        }
    }

    /// Starts a transaction that may write, waiting for other processes.
    pub(crate) async fn begin(&mut self) -> Result<(), StoreError> {
        let begin = "BEGIN IMMEDIATE; PRAGMA data_version";
        let row = match self.connection.fetch_one(begin).await {
            Ok(row) => row,
            Err(error) => {
                let error = self.db.error(error);
                return Err(self.roll_back(error).await);
            }
        };
        let data_version = row.try_get(0).map_err(|error| self.db.error(error))?;
        if self.data_version != data_version || self.streams.len() > MAX_CACHED_STREAMS {
            self.forget();
            self.data_version = data_version;
        }
        Ok(())
    }

    /// Carries out requests in order inside the begun transaction and commits them together. An error of
    /// the whole means that nothing was written.
    pub(crate) async fn commit(&mut self, requests: &[Request]) -> Result<Written, StoreError> {
        match self.write(requests).await {
            Ok(written) => Ok(written),
            Err(error) => Err(self.roll_back(error).await),
        }
    }

    pub(crate) async fn end(&mut self, sql: &'static str) -> Result<(), StoreError> {
        sqlx::query(sql)
            .execute(&mut self.connection)
            .await
            .map(drop)
            .map_err(|error| self.db.error(error))
    }

    pub(crate) async fn roll_back(&mut self, error: StoreError) -> StoreError {
        self.forget();
        // SQLite may have rolled back by itself (a full disk); then there is nothing left to do.
        self.end("ROLLBACK").await.ok();
        error
    }

    /// Nothing that is known in memory holds any longer.
    pub(crate) fn forget(&mut self) {
        self.streams.clear();
        self.next_no = None;
    }

    async fn write(&mut self, requests: &[Request]) -> Result<Written, StoreError> {
        let mut changes = Changes::default();
        let mut done = Vec::with_capacity(requests.len());
        let mut n_events = Vec::with_capacity(requests.len());
        for request in requests {
            let stream = request.action.stream();
            if !self.streams.contains_key(stream)
                && let Some(state) = load(&mut self.connection, &self.db, stream).await?
            {
                self.streams.insert(stream.clone(), state);
            }
            if matches!(request.action, Action::Create(_)) && self.next_no.is_none() {
                self.next_no = Some(next_no(&mut self.connection, &self.db).await?);
            }
            self.keep_blobs(request)?;
            let n_before = changes.events.len();
            done.push(self.apply(request, &mut changes));
            n_events.push(changes.events.len() - n_before);
        }
        let streams = &self.streams;
        flush(&mut self.connection, &changes, |stream| streams.get(stream))
            .await
            .map_err(|error| self.db.error(error))?;
        // Everybody gets back the events that came from their own request.
        let mut events = changes.events.into_iter().map(|row| row.event);
        for (done, n_events) in done.iter_mut().zip(n_events) {
            if let Ok(done) = done {
                done.events = events.by_ref().take(n_events).collect();
            }
        }
        Ok((done, changes.streams))
    }

    fn apply(&mut self, request: &Request, changes: &mut Changes) -> Result<Done, StoreError> {
        let stream = request.action.stream();
        let mut done = Done::default();
        if let Action::Create(new) = &request.action {
            if self.streams.contains_key(stream) {
                return Err(StoreError::Exists {
                    stream: stream.clone(),
                });
            }
            let no = self.next_no.unwrap_or(1);
            let mut state = StreamState::new(no, new.stream.clone(), new.kind, new.parent_run.clone());
            state.check_events(&new.events)?;
            state.push(&new.events, &request.spilled, &mut changes.events);
            if let Some((owner, ttl)) = &new.lease {
                done.lease = Some(state.take_lease(owner, *ttl)?);
            }
            self.next_no = Some(state.no + 1);
            self.streams.insert(stream.clone(), state);
        } else {
            let Some(state) = self.streams.get_mut(stream) else {
                return Err(StoreError::NotFound {
                    stream: stream.to_string(),
                });
            };
            match &request.action {
                Action::Create(_) => {}
                Action::Append(append) => {
                    state.check_writer(&append.writer)?;
                    state.check_events(&append.events)?;
                    state.push(&append.events, &request.spilled, &mut changes.events);
                }
                Action::TakeLease { owner, ttl, .. } => done.lease = Some(state.take_lease(owner, *ttl)?),
                Action::RenewLease { lease, ttl } => done.lease = Some(state.renew_lease(lease, *ttl)?),
                Action::ReleaseLease { lease } => {
                    state.release_lease(lease);
                }
            }
        }
        changes.streams.insert(stream.clone());
        Ok(done)
    }

    /// A blob that was shared may have been deleted with its other stream since it was written. Blob files
    /// are deleted only inside write transactions, so what is there now stays.
    fn keep_blobs(&self, request: &Request) -> Result<(), StoreError> {
        for (index, blob) in &request.spilled {
            if !self.blobs.has(blob)
                && let Some(event) = request.action.events().get(*index)
            {
                let bytes = event.update.data.text().as_bytes();
                self.blobs
                    .write(blob, bytes)
                    .map_err(|error| io_error(&self.blobs.path(blob), &error))?;
            }
        }
        Ok(())
    }
}

async fn next_no(connection: &mut SqliteConnection, db: &DbFile) -> Result<i64, StoreError> {
    let query = sqlx::query_scalar("SELECT coalesce(max(no), 0) + 1 FROM streams");
    query.fetch_one(connection).await.map_err(|error| db.error(error))
}

/// Reads the state of a stream; `None` when there is no such stream.
async fn load(
    connection: &mut SqliteConnection,
    db: &DbFile,
    stream: &StreamId,
) -> Result<Option<StreamState>, StoreError> {
    let query =
        sqlx::query("SELECT * FROM streams LEFT JOIN runs ON runs.stream_no = streams.no WHERE id = ?");
    let found = query.bind(stream.as_str()).fetch_optional(&mut *connection).await;
    let Some(row) = found.map_err(|error| db.error(error))? else {
        return Ok(None);
    };
    let columns = Columns::new(&row, db);
    let (no, kind) = (columns.get::<i64>("no")?, columns.kind("kind")?);
    let mut state = StreamState {
        no,
        id: stream.clone(),
        kind,
        parent_run: columns.optional_stream("parent_run")?,
        first_seq: columns.number("first_seq")?,
        last_seq: columns.number("last_seq")?,
        ended: columns.get("ended")?,
        erased_at: columns.optional_time("erased_at")?,
        lease_owner: columns.get("lease_owner")?,
        lease_epoch: columns.number("lease_epoch")?,
        lease_expires_at: columns.time("lease_expires_at")?,
        row: if kind == StreamKind::Run {
            Some(columns.run_row()?)
        } else {
            None
        },
        running: HashMap::new(),
    };
    let query =
        sqlx::query_as::<_, (String, i64)>("SELECT step, attempt FROM running_steps WHERE stream_no = ?");
    let steps = query
        .bind(no)
        .fetch_all(connection)
        .await
        .map_err(|error| db.error(error))?;
    for (step, attempt) in steps {
        let attempt = u32::try_from(attempt).map_err(|error| db.odd_row(error))?;
        state.running.insert(StepKey::new(step), attempt);
    }
    Ok(Some(state))
}
