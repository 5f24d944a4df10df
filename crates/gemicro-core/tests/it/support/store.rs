//! A store that remembers every append and can die like a process: before or after the k-th one.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use gemicro_core::command::{AgentAck, AgentCommand};
use gemicro_core::store::{
    Append, AppendResult, Lease, MemoryStore, NewStream, Store, StoreError, StreamPage, Writer,
};
use gemicro_event::{CommandId, Event, StreamId};

/// When the process "dies": from then on every call of this store fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Death {
    Never,
    /// Right before the append with this number would become durable.
    Before(usize),
    /// Right after it did; the driver never hears of it.
    After(usize),
}

type Intruder = Box<dyn FnMut(usize) -> Option<Append> + Send>;

/// A memory store with a probe on it.
pub(crate) struct ProbeStore {
    pub(crate) inner: MemoryStore,
    death: Death,
    n_appends: AtomicUsize,
    appends: Mutex<Vec<Vec<String>>>,
    streams: Mutex<Vec<StreamId>>,
    /// Appends by somebody else, right before the append with the given number.
    intruder: Mutex<Option<Intruder>>,
}

impl ProbeStore {
    pub(crate) fn new() -> Arc<Self> {
        Self::over(MemoryStore::new(), Death::Never)
    }

    /// Another "process" over the same journal.
    pub(crate) fn over(inner: MemoryStore, death: Death) -> Arc<Self> {
        Arc::new(Self {
            inner,
            death,
            n_appends: AtomicUsize::new(0),
            appends: Mutex::default(),
            streams: Mutex::default(),
            intruder: Mutex::default(),
        })
    }

    pub(crate) fn set_intruder(&self, intruder: impl FnMut(usize) -> Option<Append> + Send + 'static) {
        *self.intruder.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(intruder));
    }

    /// The event kinds of every append through this store, one list per transaction.
    pub(crate) fn appends(&self) -> Vec<Vec<String>> {
        lock(&self.appends).clone()
    }

    pub(crate) fn n_appends(&self) -> usize {
        self.n_appends.load(Ordering::SeqCst)
    }

    /// The streams made through this store.
    pub(crate) fn streams(&self) -> Vec<StreamId> {
        lock(&self.streams).clone()
    }

    fn is_dead(&self) -> bool {
        let n_appends = self.n_appends();
        match self.death {
            Death::Never => false,
            Death::Before(k) | Death::After(k) => n_appends >= k,
        }
    }

    /// Counts one append; tells whether it becomes durable and whether the caller hears of it.
    fn count(&self) -> (bool, bool) {
        let number = self.n_appends.fetch_add(1, Ordering::SeqCst) + 1;
        match self.death {
            Death::Never => (true, true),
            Death::Before(k) => (number < k, number < k),
            Death::After(k) => (number <= k, number < k),
        }
    }

    fn alive<T>(
        &self,
        answer: BoxFuture<'static, Result<T, StoreError>>,
    ) -> BoxFuture<'static, Result<T, StoreError>>
    where
        T: Send + 'static,
    {
        if self.is_dead() {
            Box::pin(async { Err(dead()) })
        } else {
            answer
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn dead() -> StoreError {
    StoreError::Io {
        message: "the process is dead".to_owned(),
    }
}

/// Runs a call of the inner store with a lifetime of its own.
macro_rules! call {
    ($self:ident, |$inner:ident| $call:expr) => {{
        let $inner = $self.inner.clone();
        $self.alive(Box::pin(async move { $call.await }))
    }};
}

impl Store for ProbeStore {
    fn create(&self, new: NewStream) -> BoxFuture<'_, Result<(AppendResult, Option<Lease>), StoreError>> {
        Box::pin(async move {
            let (durable, heard) = self.count();
            if !durable {
                return Err(dead());
            }
            lock(&self.streams).push(new.stream.clone());
            let kinds = new
                .events
                .iter()
                .map(|event| event.update.event_type.clone())
                .collect();
            let created = self.inner.create(new).await?;
            lock(&self.appends).push(kinds);
            if heard { Ok(created) } else { Err(dead()) }
        })
    }

    fn append(&self, append: Append) -> BoxFuture<'_, Result<AppendResult, StoreError>> {
        Box::pin(async move {
            let intrusion = match &mut *lock(&self.intruder) {
                Some(intruder) => intruder(self.n_appends() + 1),
                None => None,
            };
            if let Some(intrusion) = intrusion {
                assert!(
                    !matches!(intrusion.writer, Writer::Driver { .. }),
                    "an intruder has no lease"
                );
                self.inner
                    .append(intrusion)
                    .await
                    .expect("the intruder may append");
            }
            if self.is_dead() {
                return Err(dead());
            }
            let (durable, heard) = self.count();
            if !durable {
                return Err(dead());
            }
            let kinds = append
                .events
                .iter()
                .map(|event| event.update.event_type.clone())
                .collect();
            let appended = self.inner.append(append).await?;
            lock(&self.appends).push(kinds);
            if heard { Ok(appended) } else { Err(dead()) }
        })
    }

    fn read(
        &self,
        stream: &StreamId,
        after: u64,
        limit: usize,
    ) -> BoxFuture<'_, Result<StreamPage, StoreError>> {
        let stream = stream.clone();
        call!(self, |inner| inner.read(&stream, after, limit))
    }

    fn subscribe(&self, stream: &StreamId, after: u64) -> BoxStream<'static, Result<Event, StoreError>> {
        self.inner.subscribe(stream, after)
    }

    fn take_lease(
        &self,
        stream: &StreamId,
        owner: &str,
        ttl: Duration,
    ) -> BoxFuture<'_, Result<Lease, StoreError>> {
        let (stream, owner) = (stream.clone(), owner.to_owned());
        call!(self, |inner| inner.take_lease(&stream, &owner, ttl))
    }

    fn renew_lease(&self, lease: &Lease, ttl: Duration) -> BoxFuture<'_, Result<Lease, StoreError>> {
        let lease = lease.clone();
        call!(self, |inner| inner.renew_lease(&lease, ttl))
    }

    fn release_lease(&self, lease: &Lease) -> BoxFuture<'_, Result<(), StoreError>> {
        let lease = lease.clone();
        call!(self, |inner| inner.release_lease(&lease))
    }

    fn send_command(
        &self,
        stream: &StreamId,
        command: AgentCommand,
    ) -> BoxFuture<'_, Result<AgentAck, StoreError>> {
        let stream = stream.clone();
        call!(self, |inner| inner.send_command(&stream, command))
    }

    fn open_commands(&self, stream: &StreamId) -> BoxFuture<'_, Result<Vec<AgentCommand>, StoreError>> {
        let stream = stream.clone();
        call!(self, |inner| inner.open_commands(&stream))
    }

    fn acknowledge(&self, stream: &StreamId, ack: AgentAck) -> BoxFuture<'_, Result<(), StoreError>> {
        let stream = stream.clone();
        call!(self, |inner| inner.acknowledge(&stream, ack))
    }

    fn acknowledgement(
        &self,
        stream: &StreamId,
        command_id: &CommandId,
    ) -> BoxFuture<'_, Result<Option<AgentAck>, StoreError>> {
        let (stream, command_id) = (stream.clone(), command_id.clone());
        call!(self, |inner| inner.acknowledgement(&stream, &command_id))
    }

    fn save_snapshot(
        &self,
        stream: &StreamId,
        seq: u64,
        state: Vec<u8>,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        let stream = stream.clone();
        call!(self, |inner| inner.save_snapshot(&stream, seq, state))
    }

    fn load_snapshot(&self, stream: &StreamId) -> BoxFuture<'_, Result<Option<(u64, Vec<u8>)>, StoreError>> {
        let stream = stream.clone();
        call!(self, |inner| inner.load_snapshot(&stream))
    }
}
