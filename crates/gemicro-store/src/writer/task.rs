//! The loop that takes requests, commits groups and answers callers.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::mpsc;

use gemicro_core::store::StoreError;
use gemicro_event::StreamId;

use super::group::Group;
use super::request::{Job, WriteRequest};
use super::{GroupFault, JobScope, WriteResult};
use crate::wake::{FreshEvents, Wakes};

/// Maximum number of requests in a transaction.
const MAX_GROUP: usize = 512;

/// Number of events at which a transaction takes no further requests.
const MAX_GROUP_EVENTS: usize = 4096;

/// Maximum size of events passed to listeners, in bytes; larger ones are read from the store.
const MAX_TOLD: usize = 64 * 1024;

/// Maximum number of retries of a group after collisions with other processes.
const MAX_COLLISIONS: u32 = 8;

/// A message to the writer.
pub(crate) enum WriterMessage {
    Request(WriteRequest),
    Job(Job),
    /// Empty the write-ahead log, if no other process prevents it. Not possible inside a transaction.
    Checkpoint,
    /// Finish earlier messages, then close the database.
    Close(tokio::sync::oneshot::Sender<()>),
}

/// The task behind the queue.
pub(crate) struct WriterTask {
    group: Group,
    wakes: Arc<Wakes>,
    n_groups: Arc<AtomicU64>,
}

impl WriterTask {
    pub(crate) fn new(group: Group, wakes: Arc<Wakes>, n_groups: Arc<AtomicU64>) -> Self {
        Self {
            group,
            wakes,
            n_groups,
        }
    }

    /// Runs until the queue is closed or [`WriterMessage::Close`] arrives.
    pub(crate) async fn run(mut self, mut queue: mpsc::Receiver<WriterMessage>) {
        let mut waiting = Vec::with_capacity(MAX_GROUP);
        let mut closing = None;
        while closing.is_none() {
            // Callers that just got an answer often send again at once: let them share the next commit.
            tokio::task::yield_now().await;
            if queue.recv_many(&mut waiting, MAX_GROUP).await == 0 {
                break;
            }
            let mut requests = Vec::new();
            let mut n_events = 0;
            for message in waiting.drain(..) {
                match message {
                    WriterMessage::Request(request) => {
                        n_events += request.action.events().len();
                        requests.push(request);
                        if n_events >= MAX_GROUP_EVENTS {
                            self.commit(std::mem::take(&mut requests)).await;
                            n_events = 0;
                        }
                    }
                    WriterMessage::Job(job) => {
                        self.commit(std::mem::take(&mut requests)).await;
                        n_events = 0;
                        self.work(job).await;
                    }
                    WriterMessage::Checkpoint => {
                        self.commit(std::mem::take(&mut requests)).await;
                        n_events = 0;
                        if let Err(error) = self.group.end("PRAGMA wal_checkpoint(TRUNCATE)").await {
                            tracing::debug!(%error, "emptying the write-ahead log");
                        }
                    }
                    WriterMessage::Close(closed) => closing = Some(closed),
                }
            }
            self.commit(requests).await;
        }
        if let Err(error) = self.group.close().await {
            tracing::debug!(%error, "closing the store");
        }
        if let Some(closed) = closing {
            closed.send(()).ok();
        }
    }

    async fn commit(&mut self, requests: Vec<WriteRequest>) {
        if requests.is_empty() {
            return;
        }
        let mut n_collisions = 0;
        loop {
            if let Err(error) = self.group.begin().await {
                return refuse(requests, &error);
            }
            match self.group.commit(&requests).await {
                Ok((done, streams)) => {
                    self.n_groups.fetch_add(1, Ordering::Relaxed);
                    for stream in streams {
                        self.wakes.wake(&stream, || fresh(&stream, &requests, &done));
                    }
                    return answer(requests, done);
                }
                Err(GroupFault::Collided(_)) if n_collisions < MAX_COLLISIONS => n_collisions += 1,
                Err(GroupFault::Collided(error) | GroupFault::Lost(error)) => {
                    return refuse(requests, &error);
                }
                Err(GroupFault::Refused(error)) if requests.len() == 1 => return refuse(requests, &error),
                Err(GroupFault::Refused(_)) => {
                    // A single request may be at fault (too large for the disk); commit the others without it.
                    for request in requests {
                        Box::pin(self.commit(vec![request])).await;
                    }
                    return;
                }
            }
        }
    }

    async fn work(&mut self, job: Job) {
        let done = match self.group.begin().await {
            Err(error) => Err(error),
            Ok(()) => {
                let worked = match self.group.link() {
                    Ok(link) => (job.work)(link).await,
                    Err(error) => Err(error),
                };
                let ended = match worked {
                    Ok(()) => self.group.end("COMMIT").await,
                    Err(error) => Err(error),
                };
                match ended {
                    Ok(()) => Ok(()),
                    Err(error) => Err(self.group.roll_back(GroupFault::from(error)).await.into_error()),
                }
            }
        };
        match job.scope {
            JobScope::Beside => {}
            JobScope::Streams => self.group.forget(),
        }
        // The caller may be gone; its job is done anyway.
        job.reply.send(done).ok();
    }
}

/// The events that a group added to a stream, if they come from one request and are small.
fn fresh(
    stream: &StreamId,
    requests: &[WriteRequest],
    done: &[Result<WriteResult, StoreError>],
) -> FreshEvents {
    let both = requests.iter().zip(done);
    let mut own = both.filter(|(request, _)| request.action.stream() == stream);
    let (Some((_, Ok(done))), None) = (own.next(), own.next()) else {
        return None;
    };
    let n_bytes: usize = done
        .events
        .iter()
        .map(|event| event.update.data.text().len())
        .sum();
    (n_bytes <= MAX_TOLD).then(|| done.events.clone().into())
}

fn refuse(requests: Vec<WriteRequest>, error: &StoreError) {
    let refused = requests.iter().map(|_| Err(error.clone())).collect();
    answer(requests, refused);
}

fn answer(requests: Vec<WriteRequest>, done: Vec<Result<WriteResult, StoreError>>) {
    for (request, done) in requests.into_iter().zip(done) {
        request.reply.send(done).ok();
    }
}
