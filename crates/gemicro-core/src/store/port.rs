//! The contract every store keeps; `gemicro-store` runs the same tests on each of its engines.

use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use gemicro_event::{Event, StreamId};

use super::{Append, AppendResult, Lease, NewEvent, NewStream, SavedFold, StoreError, StreamPage};
use crate::command::{AgentAck, AgentCommand};

/// Durable streams with fenced appends, leases, commands and snapshots.
///
/// Everything a method returns is durable. Sequence numbers start at 1 and have no gaps.
pub trait Store: Send + Sync {
    /// Makes a stream with its first events; the lease, if one is asked for, has epoch 1.
    fn create(&self, new: NewStream) -> BoxFuture<'_, Result<(AppendResult, Option<Lease>), StoreError>>;

    /// Appends events in one transaction, with sequence numbers given inside it. After a terminal event of
    /// a run nothing can be appended, and its lease is over.
    fn append(&self, append: Append) -> BoxFuture<'_, Result<AppendResult, StoreError>>;

    /// Events exactly as [`append`](Self::append) would write them, for a driver that folds them before.
    fn as_written(&self, events: Vec<NewEvent>) -> Vec<NewEvent> {
        events
    }

    /// Events after a sequence number, at most `limit`.
    fn read(
        &self,
        stream: &StreamId,
        after: u64,
        limit: usize,
    ) -> BoxFuture<'_, Result<StreamPage, StoreError>>;

    /// Events after a sequence number, then those that follow, each once and in order. Ends after the
    /// terminal event of a run; other processes' events arrive within half a second. A place that is no
    /// longer there gives a `gap` event naming the first available one.
    fn subscribe(&self, stream: &StreamId, after: u64) -> BoxStream<'static, Result<Event, StoreError>>;

    /// Takes the run lease if it is free, over, or already held by the same owner.
    fn take_lease(
        &self,
        stream: &StreamId,
        owner: &str,
        ttl: Duration,
    ) -> BoxFuture<'_, Result<Lease, StoreError>>;

    /// Extends a lease; [`StoreError::LeaseLost`] when another holder has come.
    fn renew_lease(&self, lease: &Lease, ttl: Duration) -> BoxFuture<'_, Result<Lease, StoreError>>;

    /// Gives a lease back; harmless when it is lost already.
    fn release_lease(&self, lease: &Lease) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Sends a command to a run and returns how it stands; the same id again changes nothing. A run that
    /// has ended rejects it.
    fn send_command(
        &self,
        stream: &StreamId,
        command: AgentCommand,
    ) -> BoxFuture<'_, Result<AgentAck, StoreError>>;

    /// Commands that nobody has answered for good, oldest first.
    fn open_commands(&self, stream: &StreamId) -> BoxFuture<'_, Result<Vec<AgentCommand>, StoreError>>;

    /// Stores the answer to a command, in place of an earlier one.
    fn acknowledge(&self, stream: &StreamId, ack: AgentAck) -> BoxFuture<'_, Result<(), StoreError>>;

    /// The answer to a command so far; `None` when there is no such command.
    fn acknowledgement(
        &self,
        stream: &StreamId,
        command_id: &gemicro_event::CommandId,
    ) -> BoxFuture<'_, Result<Option<AgentAck>, StoreError>>;

    /// Keeps a fold of the events up to `seq` as a cache.
    fn save_snapshot(
        &self,
        stream: &StreamId,
        seq: u64,
        state: Vec<u8>,
    ) -> BoxFuture<'_, Result<(), StoreError>>;

    /// The newest kept fold. Losing it changes nothing but speed.
    fn load_snapshot(&self, stream: &StreamId) -> BoxFuture<'_, Result<Option<SavedFold>, StoreError>>;
}
