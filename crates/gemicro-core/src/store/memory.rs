//! A store in memory, with the contract of the durable one.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_stream::stream;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use gemicro_event::{CommandId, Event, Json, StepKey, StreamId, Timestamp, is_terminal};
use tokio::sync::watch;

use super::{
    Append, AppendResult, Lease, NewEvent, NewStream, SavedFold, StepMark, Store, StoreError, StreamKind,
    StreamPage, Writer,
};
use crate::command::{AckStatus, AgentAck, AgentCommand};

/// Streams in memory; clones share them.
#[derive(Debug, Clone)]
pub struct MemoryStore {
    streams: Arc<Mutex<BTreeMap<StreamId, MemoryStream>>>,
    /// Counts appends; subscribers sleep on it.
    appends: Arc<watch::Sender<u64>>,
}

#[derive(Debug)]
struct MemoryStream {
    kind: StreamKind,
    parent_run: Option<StreamId>,
    events: Vec<Event>,
    running: BTreeMap<StepKey, u32>,
    lease: Option<Lease>,
    last_epoch: u64,
    commands: Vec<(AgentCommand, AgentAck)>,
    snapshot: Option<SavedFold>,
}

impl MemoryStore {
    /// A store without any stream.
    #[must_use]
    pub fn new() -> Self {
        Self {
            streams: Arc::default(),
            appends: Arc::new(watch::channel(0).0),
        }
    }

    fn streams(&self) -> MutexGuard<'_, BTreeMap<StreamId, MemoryStream>> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `action` on a stream under the lock, as one transaction.
    fn with<T>(
        &self,
        stream: &StreamId,
        action: impl FnOnce(&mut MemoryStream) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut streams = self.streams();
        let found = streams.get_mut(stream);
        found.map_or_else(
            || {
                Err(StoreError::NotFound {
                    stream: stream.to_string(),
                })
            },
            action,
        )
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl MemoryStream {
    fn last_seq(&self) -> u64 {
        self.events.len() as u64
    }

    fn has_ended(&self) -> bool {
        let last = self.events.last();
        self.kind == StreamKind::Run && last.is_some_and(|event| is_terminal(&event.update.event_type))
    }

    fn check_writer(&self, stream: &StreamId, writer: &Writer) -> Result<(), StoreError> {
        match writer {
            Writer::Driver { epoch, expected_seq } => {
                if self.lease.as_ref().is_none_or(|lease| lease.epoch != *epoch) {
                    return Err(StoreError::LeaseLost {
                        stream: stream.clone(),
                    });
                }
                if self.last_seq() != *expected_seq {
                    return Err(StoreError::Moved {
                        stream: stream.clone(),
                        expected: *expected_seq,
                        actual: self.last_seq(),
                    });
                }
            }
            Writer::Executor { step, attempt } => {
                if self.running.get(step) != Some(attempt) {
                    return Err(StoreError::Fenced {
                        stream: stream.clone(),
                        step: step.to_string(),
                        attempt: *attempt,
                    });
                }
            }
            Writer::Outside => {
                if let Some(lease) = self
                    .lease
                    .as_ref()
                    .filter(|lease| lease.expires_at > Timestamp::now())
                {
                    return Err(held_by_other(lease));
                }
            }
        }
        Ok(())
    }

    fn push(&mut self, stream: &StreamId, events: Vec<NewEvent>) -> Result<AppendResult, StoreError> {
        let n_before_last = events.len().saturating_sub(1);
        let ends_early = events
            .iter()
            .take(n_before_last)
            .any(|new| is_terminal(&new.update.event_type));
        if self.kind == StreamKind::Run && ends_early {
            return Err(StoreError::Ended {
                stream: stream.clone(),
            });
        }
        let mut appended = Vec::with_capacity(events.len());
        for new in events {
            match (&new.step, new.mark) {
                (Some(step), Some(StepMark::Started(attempt))) => {
                    self.running.insert(step.clone(), attempt);
                }
                (Some(step), Some(StepMark::Ended(_))) => {
                    self.running.remove(step);
                }
                (_, None) | (None, Some(_)) => {}
            }
            let event = new.at(stream.clone(), self.last_seq() + 1, self.parent_run.clone());
            self.events.push(event.clone());
            appended.push(event);
        }
        if self.has_ended() {
            // Nothing is left to drive.
            self.lease = None;
        }
        Ok(AppendResult { events: appended })
    }

    fn lease_for(&mut self, stream: &StreamId, owner: &str, ttl: Duration) -> Result<Lease, StoreError> {
        let now = Timestamp::now();
        if let Some(lease) = &self.lease
            && lease.expires_at > now
            && lease.owner != owner
        {
            return Err(held_by_other(lease));
        }
        self.last_epoch += 1;
        let lease = Lease {
            stream: stream.clone(),
            owner: owner.to_owned(),
            epoch: self.last_epoch,
            expires_at: now.plus(ttl),
        };
        self.lease = Some(lease.clone());
        Ok(lease)
    }
}

fn held_by_other(lease: &Lease) -> StoreError {
    StoreError::LeaseHeld {
        stream: lease.stream.clone(),
        owner: lease.owner.clone(),
        expires_at: lease.expires_at,
    }
}

impl Store for MemoryStore {
    fn create(&self, new: NewStream) -> BoxFuture<'_, Result<(AppendResult, Option<Lease>), StoreError>> {
        Box::pin(async move {
            let result = {
                let mut streams = self.streams();
                if streams.contains_key(&new.stream) {
                    return Err(StoreError::Exists { stream: new.stream });
                }
                let mut stream = MemoryStream {
                    kind: new.kind,
                    parent_run: new.parent_run,
                    events: Vec::new(),
                    running: BTreeMap::new(),
                    lease: None,
                    last_epoch: 0,
                    commands: Vec::new(),
                    snapshot: None,
                };
                let appended = stream.push(&new.stream, new.events)?;
                let lease = match new.lease {
                    Some((owner, ttl)) => Some(stream.lease_for(&new.stream, &owner, ttl)?),
                    None => None,
                };
                streams.insert(new.stream, stream);
                (appended, lease)
            };
            self.appends.send_modify(|n_appends| *n_appends += 1);
            Ok(result)
        })
    }

    fn append(&self, append: Append) -> BoxFuture<'_, Result<AppendResult, StoreError>> {
        Box::pin(async move {
            let appended = self.with(&append.stream, |stream| {
                if stream.has_ended() {
                    return Err(StoreError::Ended {
                        stream: append.stream.clone(),
                    });
                }
                stream.check_writer(&append.stream, &append.writer)?;
                stream.push(&append.stream, append.events)
            })?;
            self.appends.send_modify(|n_appends| *n_appends += 1);
            Ok(appended)
        })
    }

    fn read(
        &self,
        stream: &StreamId,
        after: u64,
        limit: usize,
    ) -> BoxFuture<'_, Result<StreamPage, StoreError>> {
        let page = self.with(stream, |stream| {
            let from = usize::try_from(after).unwrap_or(usize::MAX);
            let events = stream.events.iter().skip(from).take(limit).cloned().collect();
            Ok(StreamPage {
                events,
                first_available: None,
                last_seq: stream.last_seq(),
            })
        });
        Box::pin(async move { page })
    }

    fn subscribe(&self, stream: &StreamId, after: u64) -> BoxStream<'static, Result<Event, StoreError>> {
        let store = self.clone();
        let stream_id = stream.clone();
        let mut appends = self.appends.subscribe();
        let mut after = after;
        Box::pin(stream! {
            loop {
                appends.mark_unchanged();
                let page = match store.read(&stream_id, after, usize::MAX).await {
                    Ok(page) => page,
                    Err(error) => {
                        yield Err(error);
                        return;
                    }
                };
                for event in page.events {
                    after = event.seq;
                    let ends = is_terminal(&event.update.event_type);
                    yield Ok(event);
                    if ends {
                        return;
                    }
                }
                if appends.changed().await.is_err() {
                    return;
                }
            }
        })
    }

    fn take_lease(
        &self,
        stream: &StreamId,
        owner: &str,
        ttl: Duration,
    ) -> BoxFuture<'_, Result<Lease, StoreError>> {
        let lease = self.with(stream, |found| found.lease_for(stream, owner, ttl));
        Box::pin(async move { lease })
    }

    fn renew_lease(&self, lease: &Lease, ttl: Duration) -> BoxFuture<'_, Result<Lease, StoreError>> {
        let renewed = self.with(&lease.stream, |stream| match &mut stream.lease {
            Some(current) if current.epoch == lease.epoch => {
                current.expires_at = Timestamp::now().plus(ttl);
                Ok(current.clone())
            }
            Some(_) | None => Err(StoreError::LeaseLost {
                stream: lease.stream.clone(),
            }),
        });
        Box::pin(async move { renewed })
    }

    fn release_lease(&self, lease: &Lease) -> BoxFuture<'_, Result<(), StoreError>> {
        let released = self.with(&lease.stream, |stream| {
            stream.lease.take_if(|current| current.epoch == lease.epoch);
            Ok(())
        });
        Box::pin(async move { released })
    }

    fn send_command(
        &self,
        stream: &StreamId,
        command: AgentCommand,
    ) -> BoxFuture<'_, Result<AgentAck, StoreError>> {
        let sent = self.with(stream, |found| {
            if let Some((_, ack)) = found
                .commands
                .iter()
                .find(|(known, _)| known.command_id == command.command_id)
            {
                return Ok(ack.clone());
            }
            let (status, data) = if found.has_ended() {
                (
                    AckStatus::Rejected,
                    serde_json::json!({ "reason": "the run has ended" }),
                )
            } else {
                (AckStatus::Accepted, serde_json::json!({}))
            };
            let ack = AgentAck {
                command_id: command.command_id.clone(),
                status,
                data: Json::from(data),
            };
            found.commands.push((command, ack.clone()));
            Ok(ack)
        });
        self.appends.send_modify(|n_appends| *n_appends += 1);
        Box::pin(async move { sent })
    }

    fn open_commands(&self, stream: &StreamId) -> BoxFuture<'_, Result<Vec<AgentCommand>, StoreError>> {
        let open = self.with(stream, |stream| {
            let open = stream
                .commands
                .iter()
                .filter(|(_, ack)| ack.status == AckStatus::Accepted);
            Ok(open.map(|(command, _)| command.clone()).collect())
        });
        Box::pin(async move { open })
    }

    fn acknowledge(&self, stream: &StreamId, ack: AgentAck) -> BoxFuture<'_, Result<(), StoreError>> {
        let done = self.with(stream, |stream| {
            for (command, current) in &mut stream.commands {
                if command.command_id == ack.command_id {
                    current.clone_from(&ack);
                }
            }
            Ok(())
        });
        Box::pin(async move { done })
    }

    fn acknowledgement(
        &self,
        stream: &StreamId,
        command_id: &CommandId,
    ) -> BoxFuture<'_, Result<Option<AgentAck>, StoreError>> {
        let found = self.with(stream, |stream| {
            let mut acks = stream.commands.iter();
            Ok(acks
                .find(|(command, _)| command.command_id == *command_id)
                .map(|(_, ack)| ack.clone()))
        });
        Box::pin(async move { found })
    }

    fn save_snapshot(
        &self,
        stream: &StreamId,
        seq: u64,
        state: Vec<u8>,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        let saved = self.with(stream, |stream| {
            stream.snapshot = Some((seq, state));
            Ok(())
        });
        Box::pin(async move { saved })
    }

    fn load_snapshot(&self, stream: &StreamId) -> BoxFuture<'_, Result<Option<SavedFold>, StoreError>> {
        let loaded = self.with(stream, |stream| Ok(stream.snapshot.clone()));
        Box::pin(async move { loaded })
    }
}
