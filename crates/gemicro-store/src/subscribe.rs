//! Following a stream: what is there, then what comes, each once.
//!
//! Listening starts before the first read, so nothing can fall between the two. This process's commits
//! wake the follower, and small ones need not be read again; other processes' are found by looking again every
//! [`POLL`], or when PostgreSQL says so.

use std::time::Duration;

use async_stream::stream;
use futures_util::stream::BoxStream;
use gemicro_core::run::events::EventGap;
use gemicro_core::store::{StoreError, StreamKind};
use gemicro_event::{AgentUpdate, Event, SCHEMA_VERSION, StreamId, Timestamp, is_terminal};

use crate::DurableStore;
use crate::store::StoreEngine;

/// How often another process's commits are looked for in a file.
const POLL: Duration = Duration::from_millis(200);

/// The same on a server, which also tells of them.
const POLL_SERVER: Duration = Duration::from_millis(500);

/// Events held in memory per follower; their large data is read one by one.
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
                // What is told is given on for as long as it fits; anything else, or the time to look again, leads to
                // the next read.
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

/// Stands in the place of events that are gone; its number is the last of theirs.
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
