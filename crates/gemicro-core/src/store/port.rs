//! The [`Store`] trait; `gemicro-store` runs the same contract tests on each of its engines.

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
    /// Creates a stream with its first events; if a lease is requested, it has epoch 1.
    fn create(&self, new: NewStream) -> BoxFuture<'_, Result<(AppendResult, Option<Lease>), StoreError>>;

    /// Appends events in one transaction, which assigns their sequence numbers. After a terminal event of a run nothing
    /// can be appended, and its lease is over.
    fn append(&self, append: Append) -> BoxFuture<'_, Result<AppendResult, StoreError>>;

    /// The events exactly as [`append`](Self::append) would write them, for a driver that folds them first.
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

    /// Events after a sequence number, then new ones, each once and in order. Ends after the terminal event of a run;
    /// events of other processes arrive within half a second. If the position no longer exists, yields a `gap` event
    /// with the first available one.
    fn subscribe(&self, stream: &StreamId, after: u64) -> BoxStream<'static, Result<Event, StoreError>>;

    /// Takes the run lease if it is free, expired, or already held by the same owner.
    fn take_lease(
        &self,
        stream: &StreamId,
        owner: &str,
        ttl: Duration,
    ) -> BoxFuture<'_, Result<Lease, StoreError>>;

    /// Extends a lease; [`StoreError::LeaseLost`] if another process has taken it.
    fn renew_lease(&self, lease: &Lease, ttl: Duration) -> BoxFuture<'_, Result<Lease, StoreError>>;

    /// Releases a lease; harmless if it is already lost.
    fn release_lease(&self, lease: &Lease) -> BoxFuture<'_, Result<(), StoreError>>;

    /// Sends a command to a run and returns its state; sending the same id again changes nothing. A run that has ended
    /// rejects it.
    fn send_command(
        &self,
        stream: &StreamId,
        command: AgentCommand,
    ) -> BoxFuture<'_, Result<AgentAck, StoreError>>;

    /// Commands without a final answer, oldest first.
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

    /// The newest cached fold. Losing it only costs time.
    fn load_snapshot(&self, stream: &StreamId) -> BoxFuture<'_, Result<Option<SavedFold>, StoreError>>;
}
