//! Keeps secrets out of the journal: every event is redacted before it is written.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use gemicro_event::redact::Redactor;
use gemicro_event::{CommandId, Event, StreamId};

use super::{Append, AppendResult, BoardLine, Lease, NewEvent, NewStream, Store, StoreError, StreamPage};
use crate::command::{AgentAck, AgentCommand};

/// A store that replaces secrets before it writes.
pub struct RedactingStore {
    inner: Arc<dyn Store>,
    redactor: Redactor,
}

impl RedactingStore {
    /// Wraps a store.
    #[must_use]
    pub fn new(inner: Arc<dyn Store>, redactor: Redactor) -> Self {
        Self { inner, redactor }
    }

    fn clean(&self, events: Vec<NewEvent>) -> Vec<NewEvent> {
        events.into_iter().map(|event| self.clean_event(event)).collect()
    }

    fn clean_event(&self, mut event: NewEvent) -> NewEvent {
        if let Cow::Owned(message) = self.redactor.redact(&event.update.message) {
            event.update.message = message;
        }
        event.update.data = self.redactor.redact_json(&event.update.data);
        for (_, value) in &mut event.extra {
            *value = self.redactor.redact_json(value);
        }
        event
    }

    fn clean_board(&self, mut board: Vec<BoardLine>) -> Vec<BoardLine> {
        for line in &mut board {
            line.shown = self.redactor.redact_json(&line.shown);
        }
        board
    }
}

impl Store for RedactingStore {
    fn create(&self, new: NewStream) -> BoxFuture<'_, Result<(AppendResult, Option<Lease>), StoreError>> {
        let (events, board) = (self.clean(new.events), self.clean_board(new.board));
        self.inner.create(NewStream { events, board, ..new })
    }

    fn append(&self, append: Append) -> BoxFuture<'_, Result<AppendResult, StoreError>> {
        let (events, board) = (self.clean(append.events), self.clean_board(append.board));
        let append = Append {
            events,
            board,
            ..append
        };
        self.inner.append(append)
    }

    fn as_written(&self, events: Vec<NewEvent>) -> Vec<NewEvent> {
        self.inner.as_written(self.clean(events))
    }

    fn read(
        &self,
        stream: &StreamId,
        after: u64,
        limit: usize,
    ) -> BoxFuture<'_, Result<StreamPage, StoreError>> {
        self.inner.read(stream, after, limit)
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
        self.inner.take_lease(stream, owner, ttl)
    }

    fn renew_lease(&self, lease: &Lease, ttl: Duration) -> BoxFuture<'_, Result<Lease, StoreError>> {
        self.inner.renew_lease(lease, ttl)
    }

    fn release_lease(&self, lease: &Lease) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.release_lease(lease)
    }

    fn send_command(
        &self,
        stream: &StreamId,
        command: AgentCommand,
    ) -> BoxFuture<'_, Result<AgentAck, StoreError>> {
        let data = self.redactor.redact_json(&command.data);
        self.inner.send_command(stream, AgentCommand { data, ..command })
    }

    fn open_commands(&self, stream: &StreamId) -> BoxFuture<'_, Result<Vec<AgentCommand>, StoreError>> {
        self.inner.open_commands(stream)
    }

    fn acknowledge(&self, stream: &StreamId, ack: AgentAck) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.acknowledge(stream, ack)
    }

    fn acknowledgement(
        &self,
        stream: &StreamId,
        command_id: &CommandId,
    ) -> BoxFuture<'_, Result<Option<AgentAck>, StoreError>> {
        self.inner.acknowledgement(stream, command_id)
    }

    fn save_snapshot(
        &self,
        stream: &StreamId,
        seq: u64,
        state: Vec<u8>,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        self.inner.save_snapshot(stream, seq, state)
    }

    fn load_snapshot(&self, stream: &StreamId) -> BoxFuture<'_, Result<Option<(u64, Vec<u8>)>, StoreError>> {
        self.inner.load_snapshot(stream)
    }
}
