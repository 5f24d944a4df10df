//! Executes all waiting requests in one transaction.

use std::collections::{BTreeSet, HashMap};

use gemicro_core::blob::BlobId;
use gemicro_core::store::StoreError;
use gemicro_event::{StreamId, Timestamp};

use super::connection::Connection;
use super::fault::GroupFault;
use super::flush::{FlushedChanges, flush};
use super::load::{load_streams, next_no};
use super::request::{WriteAction, WriteRequest, WriteResult};
use super::state::StreamState;
use crate::blob_store::BlobStore;
use crate::error::DbName;
use crate::queue::{QueueRow, load_places};
use crate::sql::Link;

/// Maximum number of streams cached in memory; beyond it, the cache is cleared.
const MAX_CACHED_STREAMS: usize = 2048;

/// The result of each request, and the changed streams.
type GroupResult = (Vec<Result<WriteResult, StoreError>>, BTreeSet<StreamId>);

/// The connection, and the cached states of its streams.
pub(crate) struct Group {
    connection: Connection,
    pub(crate) db: DbName,
    blobs: BlobStore,
    streams: HashMap<StreamId, StreamState>,
    /// Number of the next stream; `None` if another process may have created one.
    next_no: Option<i64>,
    /// Start of the transaction, by the clock that leases are checked against.
    now: Timestamp,
}

impl Group {
    pub(crate) fn new(connection: Connection, db: DbName, blobs: BlobStore) -> Self {
        Self {
            connection,
            db,
            blobs,
            streams: HashMap::new(),
            next_no: None,
            now: Timestamp::default(),
        }
    }

    /// Starts a transaction that may write, waiting for other processes.
    pub(crate) async fn begin(&mut self) -> Result<(), StoreError> {
        self.connection.check_in_place(&self.db)?;
        match self.connection.begin().await {
            Ok(begun) => {
                if begun.others_wrote || self.streams.len() > MAX_CACHED_STREAMS {
                    self.forget();
                }
                self.now = begun.at;
                Ok(())
            }
            Err(error) => {
                let fault = GroupFault::of(&self.db, error);
                Err(self.roll_back(fault).await.into_error())
            }
        }
    }

    /// Executes requests in order inside the transaction and commits them together. An error of the group means that
    /// nothing was written, unless the connection was lost.
    pub(crate) async fn commit(&mut self, requests: &[WriteRequest]) -> Result<GroupResult, GroupFault> {
        match self.write(requests).await {
            Ok(written) => Ok(written),
            Err(fault) => Err(self.roll_back(fault).await),
        }
    }

    /// The connection, for a job.
    pub(crate) fn link(&mut self) -> Result<&mut Link, StoreError> {
        self.connection.link().map_err(|error| self.db.error(error))
    }

    pub(crate) async fn end(&mut self, sql: &'static str) -> Result<(), StoreError> {
        let ended = self.link()?.script(sql).await;
        ended.map_err(|error| self.db.error(error))
    }

    pub(crate) async fn roll_back(&mut self, fault: GroupFault) -> GroupFault {
        self.forget();
        let rolled_back = self.end("ROLLBACK").await;
        // SQLite may have rolled back itself (on a full disk); then nothing is left to do.
        if matches!(fault, GroupFault::Lost(_)) || rolled_back.is_err() {
            self.connection.let_go();
        }
        fault
    }

    /// Invalidates everything cached in memory.
    pub(crate) fn forget(&mut self) {
        self.streams.clear();
        self.next_no = None;
        self.connection.forget();
    }

    pub(crate) async fn close(self) -> Result<(), sqlx::Error> {
        self.connection.close().await
    }

    async fn write(&mut self, requests: &[WriteRequest]) -> Result<GroupResult, GroupFault> {
        let link = self.connection.link().map_err(|error| self.db.error(error))?;
        let unknown = requests.iter().map(|request| request.action.stream());
        let unknown: BTreeSet<_> = unknown
            .filter(|stream| !self.streams.contains_key(*stream))
            .collect();
        for state in load_streams(link, &self.db, &unknown).await? {
            self.streams.insert(state.id.clone(), state);
        }
        let is_create = |request: &WriteRequest| matches!(request.action, WriteAction::Create(_));
        if self.next_no.is_none() && requests.iter().any(is_create) {
            self.next_no = Some(next_no(link, &self.db).await?);
        }
        let places: Vec<u64> = requests
            .iter()
            .filter_map(|request| request.action.place())
            .collect();
        let mut places = load_places(link, &self.db, &places).await?;
        let blobs: Vec<_> = requests.iter().flat_map(blobs_of).collect();
        self.blobs.keep(link, &self.db, &blobs).await?;

        let mut changes = FlushedChanges::default();
        let mut done = Vec::with_capacity(requests.len());
        let mut n_events = Vec::with_capacity(requests.len());
        for request in requests {
            let n_before = changes.events.len();
            done.push(self.apply(request, &mut places, &mut changes));
            n_events.push(changes.events.len() - n_before);
        }
        changes.places = places.into_values().filter(|place| place.is_changed).collect();
        changes.written = (self.connection)
            .add_written(&self.db, changes.events.len())
            .await?;
        let streams = &self.streams;
        let link = self.connection.link().map_err(|error| self.db.error(error))?;
        flush(link, &changes, |stream| streams.get(stream))
            .await
            .map_err(|error| GroupFault::of(&self.db, error))?;
        if let Some(total) = &changes.written {
            self.connection.note_commit(total);
        }
        // Each caller gets the events of its own request.
        let mut events = changes.events.into_iter().map(|row| row.event);
        for (done, n_events) in done.iter_mut().zip(n_events) {
            if let Ok(done) = done {
                done.events = events.by_ref().take(n_events).collect();
            }
        }
        Ok((done, changes.streams))
    }

    fn apply(
        &mut self,
        request: &WriteRequest,
        places: &mut HashMap<u64, QueueRow>,
        changes: &mut FlushedChanges,
    ) -> Result<WriteResult, StoreError> {
        let stream = request.action.stream();
        let mut done = WriteResult::default();
        if let WriteAction::Create(new) = &request.action {
            if self.streams.contains_key(stream) {
                return Err(StoreError::Exists {
                    stream: stream.clone(),
                });
            }
            let no = self.next_no.unwrap_or(1);
            let mut state = StreamState::new(no, new.stream.clone(), new.kind, new.parent_run.clone());
            state.check_events(&new.events)?;
            state.push(&new.events, &request.spilled, &mut changes.events);
            changes.note_board(&state, &new.board);
            if let Some((owner, ttl)) = &new.lease {
                done.lease = Some(state.take_lease(owner, *ttl, self.now)?);
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
                WriteAction::Create(_) => {}
                WriteAction::Append(append) => {
                    state.check_writer(&append.writer, self.now)?;
                    state.check_events(&append.events)?;
                    state.push(&append.events, &request.spilled, &mut changes.events);
                    changes.note_board(state, &append.board);
                }
                WriteAction::TakeLease { owner, ttl, over, .. } => {
                    state.give_up(over.as_ref());
                    done.lease = Some(state.take_lease(owner, *ttl, self.now)?);
                }
                WriteAction::RenewLease { lease, ttl } => {
                    done.lease = Some(state.renew_lease(lease, *ttl, self.now)?);
                }
                WriteAction::ReleaseLease { lease } => {
                    state.release_lease(lease);
                }
                WriteAction::Settle(settlement) => {
                    let place = QueueRow::held_by(places, &settlement.lease)?;
                    state.check_open()?;
                    state.check_events(&settlement.events)?;
                    done.state = Some(place.settle(&settlement.news, self.now));
                    state.push(&settlement.events, &request.spilled, &mut changes.events);
                }
                WriteAction::Expire(expired) => {
                    let place = QueueRow::held_by(places, &expired.lease)?;
                    state.check_open()?;
                    if let Some(event) = place.expire(expired, self.now) {
                        state.push(&[event], &Vec::new(), &mut changes.events);
                    }
                }
            }
        }
        changes.streams.insert(stream.clone());
        Ok(done)
    }
}

/// The data of a request that is stored in blobs.
fn blobs_of(request: &WriteRequest) -> impl Iterator<Item = (BlobId, &[u8])> {
    let events = request.action.events();
    let spilled = request.spilled.iter();
    spilled.filter_map(move |(index, blob)| {
        let event = events.get(*index)?;
        Some((blob.clone(), event.update.data.text().as_bytes()))
    })
}
