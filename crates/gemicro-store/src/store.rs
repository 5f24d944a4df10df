//! The store: opening, and the port of the core.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use gemicro_core::blob::BlobId;
use gemicro_core::command::{AgentAck, AgentCommand};
use gemicro_core::store::{Append, Appended, Lease, NewStream, Page, Store, StoreError};
use gemicro_event::{CommandId, Event, StreamId};
use sqlx::{SqliteConnection, SqlitePool};
use tokio::sync::{mpsc, oneshot};

use crate::blob_files::BlobFiles;
use crate::error::{DbFile, io_error};
use crate::home::Home;
use crate::open::{open_readers, open_writer};
use crate::wake::Wakes;
use crate::writer::{Action, Done, Group, Job, Message, Request, Scope, Spilled, Writer};

/// Data with more bytes of JSON than this goes to a blob file.
const MAX_INLINE_BYTES: usize = 16 * 1024;

/// Requests that may wait for the writer; more callers wait in turn.
const QUEUE: usize = 1024;

/// How a store behaves.
#[derive(Debug, Clone)]
pub struct Options {
    /// How long to wait for another process that is writing.
    pub busy_timeout: Duration,
    /// The database never grows past this; an append that would gives [`StoreError::Full`].
    pub max_bytes: Option<u64>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            busy_timeout: Duration::from_secs(10),
            max_bytes: None,
        }
    }
}

/// Streams in a SQLite file; clones share it. Several processes may use the same file.
#[derive(Debug, Clone)]
pub struct SqliteStore {
    pub(crate) inner: Arc<Inner>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) home: Home,
    pub(crate) db: DbFile,
    pub(crate) readers: SqlitePool,
    pub(crate) blobs: BlobFiles,
    pub(crate) wakes: Arc<Wakes>,
    /// Transactions of grouped requests so far.
    n_groups: Arc<AtomicU64>,
    /// To the writer; it ends when the last clone of the store is gone.
    queue: mpsc::Sender<Message>,
}

impl SqliteStore {
    /// Opens the store in a state folder, making both if there are none.
    ///
    /// # Errors
    /// When the folder is not safe to use, or the file is damaged, newer, locked or not ours.
    pub async fn open(home: &Path) -> Result<Self, StoreError> {
        Self::open_with(home, &Options::default()).await
    }

    /// Like [`SqliteStore::open`], with other settings.
    ///
    /// # Errors
    /// As for [`SqliteStore::open`].
    pub async fn open_with(home: &Path, options: &Options) -> Result<Self, StoreError> {
        let home = Home::prepare(home)?;
        let db = DbFile::new(home.db());
        let connection = open_writer(&home, &db, options).await?;
        let readers = open_readers(&home, options);
        let blobs = BlobFiles::new(home.blobs());
        let wakes = Arc::new(Wakes::default());
        let (queue, requests) = mpsc::channel(QUEUE);
        let n_groups = Arc::new(AtomicU64::new(0));
        let group = Group::new(connection, db.clone(), blobs.clone());
        let writer = Writer::new(group, Arc::clone(&wakes), Arc::clone(&n_groups));
        tokio::spawn(writer.run(requests));
        Ok(Self {
            inner: Arc::new(Inner {
                home,
                db,
                readers,
                blobs,
                wakes,
                n_groups,
                queue,
            }),
        })
    }

    /// Transactions this process has committed for appends, creations and leases; with the number of events
    /// it tells how well group commit works.
    #[must_use]
    pub fn n_groups(&self) -> u64 {
        self.inner.n_groups.load(Ordering::Relaxed)
    }

    /// Finishes what was asked before and lets go of the files; the store cannot be used afterwards.
    pub async fn close(&self) {
        self.inner.readers.close().await;
        let (closed, wait) = oneshot::channel();
        if self.inner.queue.send(Message::Close(closed)).await.is_ok() {
            wait.await.ok();
        }
    }

    /// Sends a change to the writer and waits until it is durable.
    async fn change(&self, action: Action) -> Result<Done, StoreError> {
        let (action, spilled) = self.spill(action).await?;
        let (reply, answer) = oneshot::channel();
        self.send(Message::Request(Request {
            action,
            spilled,
            reply,
        }))
        .await?;
        answer.await.map_err(|_| closed())?
    }

    /// Runs a transaction of its own on the writing connection.
    pub(crate) async fn transact<T, F>(&self, scope: Scope, work: F) -> Result<T, StoreError>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut SqliteConnection) -> BoxFuture<'c, Result<T, StoreError>> + Send + 'static,
    {
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
        self.send(Message::Job(Job { scope, work, reply })).await?;
        answer.await.map_err(|_| closed())??;
        let value = result.lock().unwrap_or_else(PoisonError::into_inner).take();
        value.ok_or_else(closed)
    }

    /// Asks for the write-ahead log to be emptied soon.
    pub(crate) async fn checkpoint(&self) -> Result<(), StoreError> {
        self.send(Message::Checkpoint).await
    }

    async fn send(&self, message: Message) -> Result<(), StoreError> {
        self.inner.queue.send(message).await.map_err(|_| closed())
    }

    /// Writes large data to blob files, before the transaction that names them.
    async fn spill(&self, action: Action) -> Result<(Action, Spilled), StoreError> {
        let large: Vec<_> = (action.events().iter().enumerate())
            .filter(|(_, event)| event.update.data.text().len() > MAX_INLINE_BYTES)
            .map(|(index, event)| (index, event.update.data.clone()))
            .collect();
        if large.is_empty() {
            return Ok((action, Spilled::new()));
        }
        let blobs = self.inner.blobs.clone();
        let spilled = blocking(move || {
            let write = |(index, data): (usize, gemicro_event::Json)| {
                let bytes = data.text().as_bytes();
                let blob = BlobId::of(bytes);
                blobs
                    .write(&blob, bytes)
                    .map_err(|error| io_error(&blobs.path(&blob), &error))?;
                Ok((index, blob))
            };
            large
                .into_iter()
                .map(write)
                .collect::<Result<Spilled, StoreError>>()
        });
        Ok((action, spilled.await?))
    }
}

/// Runs blocking file work beside the async code.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| {
        Err(StoreError::Io {
            message: format!("file work was cut off: {error}"),
        })
    })
}

fn closed() -> StoreError {
    StoreError::Io {
        message: "the store is closed".to_owned(),
    }
}

fn granted(done: Done, stream: &StreamId) -> Result<Lease, StoreError> {
    done.lease.ok_or_else(|| StoreError::LeaseLost {
        stream: stream.clone(),
    })
}

impl Store for SqliteStore {
    fn create(&self, new: NewStream) -> BoxFuture<'_, Result<(Appended, Option<Lease>), StoreError>> {
        Box::pin(async move {
            let done = self.change(Action::Create(new)).await?;
            Ok((Appended { events: done.events }, done.lease))
        })
    }

    fn append(&self, append: Append) -> BoxFuture<'_, Result<Appended, StoreError>> {
        Box::pin(async move {
            let done = self.change(Action::Append(append)).await?;
            Ok(Appended { events: done.events })
        })
    }

    fn read(&self, stream: &StreamId, after: u64, limit: usize) -> BoxFuture<'_, Result<Page, StoreError>> {
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
        Box::pin(async move {
            let action = Action::TakeLease {
                stream: stream.clone(),
                owner,
                ttl,
            };
            granted(self.change(action).await?, &stream)
        })
    }

    fn renew_lease(&self, lease: &Lease, ttl: Duration) -> BoxFuture<'_, Result<Lease, StoreError>> {
        let lease = lease.clone();
        Box::pin(async move {
            let stream = lease.stream.clone();
            granted(self.change(Action::RenewLease { lease, ttl }).await?, &stream)
        })
    }

    fn release_lease(&self, lease: &Lease) -> BoxFuture<'_, Result<(), StoreError>> {
        let lease = lease.clone();
        Box::pin(async move { self.change(Action::ReleaseLease { lease }).await.map(drop) })
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
