//! Follows a stream: existing events, then new ones, each once.
//!
//! Listening starts before the first read, so no event is missed in between. Commits of this process wake the
//! subscriber, and small ones need not be read again; commits of other processes are found by polling every
//! [`POLL`], or through PostgreSQL's notifications.

use std::time::Duration;

use async_stream::stream;
use futures_util::stream::BoxStream;
use gemicro_core::run::events::EventGap;
use gemicro_core::store::{StoreError, StreamKind};
use gemicro_event::{AgentUpdate, Event, SCHEMA_VERSION, StreamId, Timestamp, is_terminal};

use crate::DurableStore;
use crate::store::StoreEngine;

/// Polling interval for other processes' commits to a file.
const POLL: Duration = Duration::from_millis(200);

/// Polling interval on a server, which also sends notifications.
const POLL_SERVER: Duration = Duration::from_millis(500);

/// Number of events held in memory per subscriber; their large data is read one by one.
const PAGE: usize = 512;

impl DurableStore {
    pub(crate) fn follow(
        &self,
        stream_id: StreamId,
        after: u64,
    ) -> BoxStream<'static, Result<Event, StoreError>> {
        let store = self.clone();
        let mut listener = self.inner.wakes.listen(&stream_id);
        let mut after = after;
        let poll = match &self.inner.engine {
            StoreEngine::Sqlite(_) => POLL,
            StoreEngine::Postgres(server) => {
                server.listen(&self.inner.wakes);
                POLL_SERVER
            }
        };
        Box::pin(stream! {
            loop {
                listener.reset();
                let (head, events) = match store.read_stored(&stream_id, after, PAGE).await {
                    Ok(page) => page,
                    Err(error) => {
                        yield Err(error);
                        return;
                    }
                };
                if after + 1 < head.first_seq {
                    yield Ok(gap(&stream_id, head.first_seq));
                    after = head.first_seq - 1;
                }
                if let Err(error) = head.check_not_erased(&stream_id) {
                    yield Err(error);
                    return;
                }
                let is_full = events.len() == PAGE;
                for stored in events {
                    match store.whole(stored).await {
                        Ok(event) => {
                            after = event.seq;
                            let ends = head.kind == StreamKind::Run && is_terminal(&event.update.event_type);
                            yield Ok(event);
                            if ends {
                                return;
                            }
                        }
                        Err(error) => {
                            yield Err(error);
                            return;
                        }
                    }
                }
                if head.ended && after >= head.last_seq {
                    return;
                }
                // Fresh events are passed on while they continue the sequence; anything else, or the polling
                // interval, leads to the next read.
                while !is_full
                    && let Ok(Some(fresh)) = tokio::time::timeout(poll, listener.next_change()).await
                    && fresh.first().is_some_and(|first| first.seq <= after + 1)
                {
                    for event in fresh.iter().filter(|event| event.seq > after).cloned().collect::<Vec<_>>() {
                        after = event.seq;
                        let ends = head.kind == StreamKind::Run && is_terminal(&event.update.event_type);
                        yield Ok(event);
                        if ends {
                            return;
                        }
                    }
                }
            }
        })
    }
}

/// Represents events that are gone; its sequence number is the last of theirs.
fn gap(stream: &StreamId, first_available: u64) -> Event {
    Event {
        stream: stream.clone(),
        seq: first_available - 1,
        schema_version: SCHEMA_VERSION,
        update: AgentUpdate::new(&EventGap { first_available }, Timestamp::now()),
        step: None,
        parent_run: None,
        trace: None,
        extra: Vec::new(),
    }
}
