//! Watches the report stream of a run, with one listener for all its steps.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::StreamExt;
use gemicro_core::run::events::RunReaders;
use gemicro_core::store::{NewEvent, NewStream, Store, StoreError, StreamKind};
use gemicro_event::{AgentUpdate, Event, Failure, StepKey, StreamId, Timestamp};
use gemicro_store::DurableStore;
use tokio::sync::watch;
use tokio::task::AbortHandle;

use super::history::{AttemptHistory, History};
use super::reports::{ReportReaders, StepReported, StepWord, steps_stream};

/// Wait before a store that did not answer is asked again.
const AGAIN: Duration = Duration::from_millis(250);

/// All reports about the steps of a run so far.
#[derive(Default)]
struct Notes {
    steps: BTreeMap<StepKey, History>,
    /// The last event that was read.
    last_seq: u64,
    /// Why no more reports will arrive.
    broken: Option<Failure>,
}

/// Watches the report stream of a run until it is dropped.
pub(super) struct StreamWatcher {
    pub(super) stream: StreamId,
    notes: Arc<Mutex<Notes>>,
    news: watch::Receiver<u64>,
    listening: AbortHandle,
}

impl StreamWatcher {
    /// Creates the stream if needed, and listens.
    pub(super) async fn open(store: &Arc<DurableStore>, run: &StreamId) -> Result<Self, StoreError> {
        let stream = steps_stream(run);
        let first = StepReported {
            step: StepKey::new(""),
            attempt: 0,
            said: StepWord::Alarm("the steps of a run".to_owned()),
        };
        let new = NewStream {
            stream: stream.clone(),
            kind: StreamKind::Steps,
            parent_run: Some(run.clone()),
            events: vec![NewEvent::of_run(AgentUpdate::new(&first, Timestamp::now()))],
            board: Vec::new(),
            lease: None,
        };
        match store.create(new).await {
            Ok(_) | Err(StoreError::Exists { .. }) => {}
            Err(error) => return Err(error),
        }
        // Read earlier reports first: callers must not mistake missing reports for silence, or silence for work.
        let mut said = Notes::default();
        let before = store.read(&stream, 0, usize::MAX).await?;
        before.events.into_iter().for_each(|event| said.note(event));
        said.last_seq = before.last_seq;
        let notes = Arc::new(Mutex::new(said));
        let (sender, news) = watch::channel(0);
        let (from, id, kept) = (store.clone(), stream.clone(), notes.clone());
        let listening = tokio::spawn(async move {
            loop {
                let last_seq = lock(&kept).last_seq;
                let mut events = from.subscribe(&id, last_seq);
                let mut is_over = true;
                while let Some(event) = events.next().await {
                    match event {
                        Ok(event) => lock(&kept).note(event),
                        // The store is unavailable: reports are read when it is back.
                        Err(StoreError::Io { .. } | StoreError::Full { .. }) => is_over = false,
                        Err(error) => lock(&kept).broken = Some(error.into()),
                    }
                    sender.send_modify(|n_events| *n_events += 1);
                }
                if is_over {
                    return;
                }
                tokio::time::sleep(AGAIN).await;
            }
        });
        Ok(Self {
            stream,
            notes,
            news,
            listening: listening.abort_handle(),
        })
    }

    /// The history of a step.
    pub(super) fn history(&self, step: &StepKey) -> Result<History, Failure> {
        let notes = lock(&self.notes);
        match &notes.broken {
            Some(failure) => Err(failure.clone()),
            None => Ok(notes.steps.get(step).cloned().unwrap_or_default()),
        }
    }

    /// Whether no more reports will arrive.
    pub(super) fn is_broken(&self) -> bool {
        lock(&self.notes).broken.is_some() || self.listening.is_finished()
    }

    pub(super) fn news(&self) -> watch::Receiver<u64> {
        self.news.clone()
    }
}

impl Drop for StreamWatcher {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

impl Notes {
    fn note(&mut self, event: Event) {
        self.last_seq = event.seq;
        if let Some(reported) = event.update.as_step_reported() {
            let attempt = self.attempt(reported.step, reported.attempt);
            attempt.words.push(reported.said);
        } else if let Some(failed) = event.update.as_step_failed() {
            // From the queue itself: the worker did not renew its lease.
            self.attempt(failed.step, failed.attempt).is_silent = true;
        }
    }

    fn attempt(&mut self, step: StepKey, attempt: u32) -> &mut AttemptHistory {
        let history = self.steps.entry(step).or_default();
        history.attempts.entry(attempt).or_default()
    }
}

fn lock(notes: &Mutex<Notes>) -> MutexGuard<'_, Notes> {
    notes.lock().unwrap_or_else(PoisonError::into_inner)
}
