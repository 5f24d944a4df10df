//! The loop that takes requests, commits groups and answers.

use std::sync::Arc;

use sqlx::{Connection, SqliteConnection};
use tokio::sync::mpsc;

use gemicro_core::store::StoreError;

use super::group::Group;
use super::request::{Job, Request};
use super::{Done, Scope};
use crate::blob_files::BlobFiles;
use crate::error::DbFile;
use crate::wake::Wakes;

/// Requests that share a transaction, at most.
const MAX_GROUP: usize = 512;

/// Events in one transaction; a group that has more takes no further request.
const MAX_GROUP_EVENTS: usize = 4096;

/// What the writer can be sent.
pub(crate) enum Message {
    Request(Request),
    Job(Job),
    /// Finish what came before, then let go of the database.
    Close(tokio::sync::oneshot::Sender<()>),
}

/// The task behind the queue.
pub(crate) struct Writer {
    group: Group,
    wakes: Arc<Wakes>,
}

impl Writer {
    pub(crate) fn new(connection: SqliteConnection, db: DbFile, blobs: BlobFiles, wakes: Arc<Wakes>) -> Self {
        Self { group: Group::new(connection, db, blobs), wakes }
    }

    /// Works until the queue is closed or [`Message::Close`] comes.
    pub(crate) async fn run(mut self, mut queue: mpsc::Receiver<Message>) {
        let mut waiting = Vec::with_capacity(MAX_GROUP);
        let mut closing = None;
        while closing.is_none() {
            if queue.recv_many(&mut waiting, MAX_GROUP).await == 0 {
                break;
            }
            let mut requests = Vec::new();
            let mut n_events = 0;
            for message in waiting.drain(..) {
                match message {
                    Message::Request(request) => {
                        n_events += request.action.events().len();
                        requests.push(request);
                        if n_events >= MAX_GROUP_EVENTS {
                            self.commit(std::mem::take(&mut requests)).await;
                            n_events = 0;
                        }
                    }
                    Message::Job(job) => {
                        self.commit(std::mem::take(&mut requests)).await;
                        n_events = 0;
                        self.work(job).await;
                    }
                    Message::Close(closed) => closing = Some(closed),
                }
            }
            self.commit(requests).await;
        }
        if let Err(error) = self.group.connection.close().await {
            tracing::debug!(%error, "closing the store");
        }
        if let Some(closed) = closing {
            closed.send(()).ok();
        }
    }

    async fn commit(&mut self, requests: Vec<Request>) {
        if requests.is_empty() {
            return;
        }
        match self.group.commit(&requests).await {
            Ok((done, changes)) => {
                for stream in changes.streams {
                    self.wakes.wake(&stream);
                }
                answer(requests, done);
            }
            Err(error) if requests.len() == 1 => answer(requests, vec![Err(error)]),
            Err(_) => {
                // One of them may be at fault (too large for the disk); the others must not suffer for it.
                for request in requests {
                    Box::pin(self.commit(vec![request])).await;
                }
            }
        }
    }

    async fn work(&mut self, job: Job) {
        let done = match self.group.begin().await {
            Err(error) => Err(error),
            Ok(()) => {
                let worked = (job.work)(&mut self.group.connection).await;
                let ended = match worked {
                    Ok(()) => self.group.end("COMMIT").await,
                    Err(error) => Err(error),
                };
                match ended {
                    Ok(()) => Ok(()),
                    Err(error) => Err(self.group.roll_back(error).await),
                }
            }
        };
        match job.scope {
            Scope::Beside => {}
            Scope::Streams => self.group.forget(),
        }
        // The caller may have gone; what it asked for is done all the same.
        job.reply.send(done).ok();
    }
}

fn answer(requests: Vec<Request>, done: Vec<Result<Done, StoreError>>) {
    for (request, done) in requests.into_iter().zip(done) {
        request.reply.send(done).ok();
    }
}
