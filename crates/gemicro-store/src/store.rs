//! The store: opening it, and the implementation of the core's port.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use gemicro_core::blob::BlobId;
use gemicro_core::command::{AgentAck, AgentCommand};
use gemicro_core::store::{Append, AppendResult, Lease, NewStream, Store, StoreError, StreamPage};
use gemicro_event::{CommandId, Event, Json, StreamId};
use tokio::sync::{mpsc, oneshot};

use crate::blob_files::BlobFiles;
use crate::blob_store::BlobStore;
use crate::error::DbName;
use crate::home::{Home, OpenedFiles};
use crate::leases::SeenLeases;
use crate::open::{open_readers, open_writer};
use crate::postgres::ListeningServer;
use crate::sql::{ConnectionPool, Link};
use crate::store_options::StoreOptions;
use crate::wake::Wakes;
use crate::writer::{
    Connection, Group, Job, JobScope, SpilledBlob, WriteAction, WriteRequest, WriteResult, WriterMessage,
    WriterTask,
};
use crate::written_counter::WrittenCounter;

/// Maximum size of data kept in the table, in bytes of JSON; larger data goes to a blob.
const MAX_INLINE_BYTES: usize = 16 * 1024;

/// Maximum number of requests waiting for the writer; further callers wait.
const QUEUE: usize = 1024;

/// A store in a SQLite file ([`open`](Self::open)) or a PostgreSQL database ([`connect`](Self::connect)); clones
/// share it. Several processes may use the same one.
#[derive(Debug, Clone)]
pub struct DurableStore {
    pub(crate) inner: Arc<Inner>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) engine: StoreEngine,
    pub(crate) db: DbName,
    pub(crate) readers: ConnectionPool,
    pub(crate) blobs: BlobStore,
    /// `None` for a server.
    pub(crate) files: Option<OpenedFiles>,
    pub(crate) wakes: Arc<Wakes>,
    /// Number of group transactions so far.
    n_groups: Arc<AtomicU64>,
    /// Sends to the writer, which ends when the last clone of the store is gone.
    queue: mpsc::Sender<WriterMessage>,
    /// How long the leases of others have been unchanged: those of runs, and those of queue entries.
    pub(crate) seen_leases: SeenLeases<StreamId>,
    pub(crate) seen_places: SeenLeases<u64>,
}

/// The engine-specific part of the store.
#[derive(Debug)]
pub(crate) enum StoreEngine {
    Sqlite(Home),
    Postgres(ListeningServer),
}

impl DurableStore {
    /// Opens the store in a state folder, creating both if needed.
    ///
    /// # Errors
    /// When the folder is not safe to use, or the file is damaged, newer, locked or of another program.
    pub async fn open(home: &Path) -> Result<Self, StoreError> {
        Self::open_with(home, &StoreOptions::default()).await
    }

    /// Like [`DurableStore::open`], with options.
    ///
    /// # Errors
    /// Those of [`DurableStore::open`].
    pub async fn open_with(home: &Path, options: &StoreOptions) -> Result<Self, StoreError> {
        let home = Home::prepare(home)?;
        let db = DbName::file(&home.db());
        let blobs = BlobStore::Files(BlobFiles::new(home.blobs()));
        let mut link = open_writer(&home, &db, options).await?;
        let written = WrittenCounter::open(&home, &mut link, &db).await?;
        let connection = Connection::Sqlite {
            link,
            data_version: -1,
            written,
            files: OpenedFiles::of(&home),
        };
        let readers = ConnectionPool::Sqlite(open_readers(&home, options));
        Ok(Self::start(
            StoreEngine::Sqlite(home),
            db,
            readers,
            connection,
            blobs,
        ))
    }

    /// Opens the store at an address, such as `postgres://user@host/database`; by default that in the state folder.
    ///
    /// # Errors
    /// Those of [`DurableStore::open`] and [`DurableStore::connect`].
    pub async fn at(home: &Path, address: Option<&str>) -> Result<Self, StoreError> {
        match address {
            Some(address) => Self::connect(address).await,
            None => Self::open(home).await,
        }
    }

    /// Whether workers on several machines can share it.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        matches!(self.inner.engine, StoreEngine::Postgres(_))
    }

    /// Starts the writer of an opened database.
    pub(crate) fn start(
        engine: StoreEngine,
        db: DbName,
        readers: ConnectionPool,
        connection: Connection,
        blobs: BlobStore,
    ) -> Self {
        let files = match &connection {
            Connection::Sqlite { files, .. } => Some(files.clone()),
            Connection::Postgres { .. } => None,
        };
        let wakes = Arc::new(Wakes::default());
        let (queue, requests) = mpsc::channel(QUEUE);
        let n_groups = Arc::new(AtomicU64::new(0));
        let group = Group::new(connection, db.clone(), blobs.clone());
        let writer = WriterTask::new(group, Arc::clone(&wakes), Arc::clone(&n_groups));
        tokio::spawn(writer.run(requests));
        Self {
            inner: Arc::new(Inner {
                engine,
                db,
                readers,
                blobs,
                files,
                wakes,
                n_groups,
                queue,
                seen_leases: SeenLeases::default(),
                seen_places: SeenLeases::default(),
            }),
        }
    }

    /// Number of transactions that this process has committed for appends, creations and leases. Compared with the
    /// number of events it shows how well group commit works.
    #[must_use]
    pub fn n_groups(&self) -> u64 {
        self.inner.n_groups.load(Ordering::Relaxed)
    }

    /// Finishes pending requests and closes the files; the store cannot be used afterwards.
    pub async fn close(&self) {
        match &self.inner.engine {
            // The writer is closed last, because it empties the write-ahead log.
            StoreEngine::Sqlite(_) => self.inner.readers.close().await,
            StoreEngine::Postgres(server) => server.stop_listening(),
        }
        let (closed, wait) = oneshot::channel();
        if self.inner.queue.send(WriterMessage::Close(closed)).await.is_ok() {
            wait.await.ok();
        }
        self.inner.readers.close().await;
    }

    /// Sends a change to the writer and waits until it is durable.
    pub(crate) async fn change(&self, action: WriteAction) -> Result<WriteResult, StoreError> {
        let (action, spilled) = self.spill(action).await?;
        let (reply, answer) = oneshot::channel();
        self.send(WriterMessage::Request(WriteRequest {
            action,
            spilled,
            reply,
        }))
        .await?;
        answer.await.map_err(|_| writer_gone())?
    }

    /// Runs a separate transaction; on SQLite, on the only write connection.
    pub(crate) async fn transact<T, F>(&self, scope: JobScope, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut Link) -> BoxFuture<'c, Result<T, StoreError>> + Send + 'static,
    {
        if let StoreEngine::Postgres(server) = &self.inner.engine {
            return self.transact_beside(server, work).await;
        }
        let result = Arc::new(Mutex::new(None));
        let slot = Arc::clone(&result);
        let (reply, answer) = oneshot::channel();
        let work = Job::work(move |connection| {
            let working = work(connection);
            Box::pin(async move {
                let value = working.await?;
                *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
                Ok(())
            })
        });
        self.send(WriterMessage::Job(Job { scope, work, reply })).await?;
        answer.await.map_err(|_| writer_gone())??;
        let value = result.lock().unwrap_or_else(PoisonError::into_inner).take();
        value.ok_or_else(writer_gone)
    }

    /// Runs it in its own task, so that dropping the caller does not leave a transaction open.
    async fn transact_beside<T, F>(&self, server: &ListeningServer, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut Link) -> BoxFuture<'c, Result<T, StoreError>> + Send + 'static,
    {
        let (pool, db) = (server.pool.clone(), self.inner.db.clone());
        let working = tokio::spawn(async move {
            let fail = |error| db.error(error);
            let mut link = Link::Postgres(pool.acquire().await.map_err(fail)?);
            link.begin().await.map_err(fail)?;
            match work(&mut link).await {
                Ok(value) => link.script("COMMIT").await.map(|()| value).map_err(fail),
                Err(error) => {
                    if link.script("ROLLBACK").await.is_err() {
                        link.close().await.ok();
                    }
                    Err(error)
                }
            }
        });
        working.await.unwrap_or_else(|error| {
            Err(StoreError::Io {
                message: format!("a transaction was cut off: {error}"),
            })
        })
    }

    /// Asks for the write-ahead log to be emptied soon.
    pub(crate) async fn checkpoint(&self) -> Result<(), StoreError> {
        self.send(WriterMessage::Checkpoint).await
    }

    async fn send(&self, message: WriterMessage) -> Result<(), StoreError> {
        self.inner.queue.send(message).await.map_err(|_| writer_gone())
    }

    /// Moves large data to blobs, and writes those that can be written before the transaction.
    async fn spill(&self, action: WriteAction) -> Result<(WriteAction, SpilledBlob), StoreError> {
        let large: Vec<_> = (action.events().iter().enumerate())
            .filter(|(_, event)| event.update.data.text().len() > MAX_INLINE_BYTES)
            .map(|(index, event)| (index, event.update.data.clone()))
            .collect();
        if large.is_empty() {
            return Ok((action, SpilledBlob::new()));
        }
        let name = move || {
            let name = |(index, data): (usize, Json)| (index, BlobId::of(data.text().as_bytes()), data);
            Ok(large.into_iter().map(name).collect::<Vec<_>>())
        };
        let named = run_blocking(name).await?;
        let spilled = named
            .iter()
            .map(|(index, blob, _)| (*index, blob.clone()))
            .collect();
        let bytes = |(_, blob, data): (usize, BlobId, Json)| (blob, data.text().as_bytes().to_vec());
        let prepared = named.into_iter().map(bytes).collect();
        self.inner.blobs.prepare(prepared).await?;
        Ok((action, spilled))
    }
}

/// Runs blocking file work outside the async threads.
pub(crate) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| {
        Err(StoreError::Io {
            message: format!("file work was cut off: {error}"),
        })
    })
}

fn writer_gone() -> StoreError {
    StoreError::Io {
        message: "the store is closed".to_owned(),
    }
}

fn granted_lease(done: WriteResult, stream: &StreamId) -> Result<Lease, StoreError> {
    done.lease.ok_or_else(|| StoreError::LeaseLost {
        stream: stream.clone(),
    })
}

impl Store for DurableStore {
    fn create(&self, new: NewStream) -> BoxFuture<'_, Result<(AppendResult, Option<Lease>), StoreError>> {
        Box::pin(async move {
            let done = self.change(WriteAction::Create(new)).await?;
            Ok((AppendResult { events: done.events }, done.lease))
        })
    }

    fn append(&self, append: Append) -> BoxFuture<'_, Result<AppendResult, StoreError>> {
        Box::pin(async move {
            let done = self.change(WriteAction::Append(append)).await?;
            Ok(AppendResult { events: done.events })
        })
    }

    fn read(
        &self,
        stream: &StreamId,
        after: u64,
        limit: usize,
    ) -> BoxFuture<'_, Result<StreamPage, StoreError>> {
        let stream = stream.clone();
        Box::pin(async move { self.read_page(&stream, after, limit).await })
    }

    fn subscribe(&self, stream: &StreamId, after: u64) -> BoxStream<'static, Result<Event, StoreError>> {
        self.follow(stream.clone(), after)
    }

    fn take_lease(
        &self,
        stream: &StreamId,
        owner: &str,
        ttl: Duration,
    ) -> BoxFuture<'_, Result<Lease, StoreError>> {
        let (stream, owner) = (stream.clone(), owner.to_owned());
        Box::pin(self.take_lease_of(stream, owner, ttl))
    }

    fn renew_lease(&self, lease: &Lease, ttl: Duration) -> BoxFuture<'_, Result<Lease, StoreError>> {
        let lease = lease.clone();
        Box::pin(async move {
            let stream = lease.stream.clone();
            let done = self.change(WriteAction::RenewLease { lease, ttl }).await?;
            granted_lease(done, &stream)
        })
    }

    fn release_lease(&self, lease: &Lease) -> BoxFuture<'_, Result<(), StoreError>> {
        let lease = lease.clone();
        Box::pin(async move { self.change(WriteAction::ReleaseLease { lease }).await.map(drop) })
    }

    fn send_command(
        &self,
        stream: &StreamId,
        command: AgentCommand,
    ) -> BoxFuture<'_, Result<AgentAck, StoreError>> {
        let stream = stream.clone();
        Box::pin(async move { self.insert_command(stream, command).await })
    }

    fn open_commands(&self, stream: &StreamId) -> BoxFuture<'_, Result<Vec<AgentCommand>, StoreError>> {
        let stream = stream.clone();
        Box::pin(async move { self.read_open_commands(&stream).await })
    }

    fn acknowledge(&self, stream: &StreamId, ack: AgentAck) -> BoxFuture<'_, Result<(), StoreError>> {
        let stream = stream.clone();
        Box::pin(async move { self.update_ack(stream, ack).await })
    }

    fn acknowledgement(
        &self,
        stream: &StreamId,
        command_id: &CommandId,
    ) -> BoxFuture<'_, Result<Option<AgentAck>, StoreError>> {
        let (stream, command_id) = (stream.clone(), command_id.clone());
        Box::pin(async move { self.read_ack(&stream, &command_id).await })
    }

    fn save_snapshot(
        &self,
        stream: &StreamId,
        seq: u64,
        state: Vec<u8>,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        let stream = stream.clone();
        Box::pin(async move { self.write_snapshot(stream, seq, state).await })
    }

    fn load_snapshot(&self, stream: &StreamId) -> BoxFuture<'_, Result<Option<(u64, Vec<u8>)>, StoreError>> {
        let stream = stream.clone();
        Box::pin(async move { self.read_snapshot(&stream).await })
    }
}
