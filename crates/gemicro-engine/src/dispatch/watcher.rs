//! Listening to the stream beside a run: one listener for all its steps.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::StreamExt;
use gemicro_core::run::events::RunReaders;
use gemicro_core::store::{NewEvent, NewStream, Store, StoreError, StreamKind};
use gemicro_event::{AgentUpdate, Event, Failure, Json, StepKey, StreamId, Timestamp};
use gemicro_store::DurableStore;
use tokio::sync::watch;
use tokio::task::AbortHandle;

use super::reports::{ReportReaders, StepReported, StepWord, steps_stream};

/// Everything that was said about the steps of a run so far.
#[derive(Default)]
struct Notes {
    /// By step and attempt, in order.
    words: BTreeMap<(StepKey, u32), Vec<StepWord>>,
    /// Attempts whose worker fell silent.
    silent: BTreeMap<StepKey, Vec<u32>>,
    /// Why nothing more will be heard.
    broken: Option<Failure>,
}

/// Listens to one run's stream while somebody holds it.
pub(super) struct Watcher {
    /// The stream.
    pub(super) stream: StreamId,
    notes: Arc<Mutex<Notes>>,
    news: watch::Receiver<u64>,
    listening: AbortHandle,
}

/// What is known of an attempt.
pub(super) struct Known {
    /// What was said, from the asked place on.
    pub(super) words: Vec<StepWord>,
    /// Its worker fell silent.
    pub(super) is_silent: bool,
}

impl Watcher {
    /// Makes the stream where there is none, and listens.
    pub(super) async fn open(store: &Arc<DurableStore>, run: &StreamId) -> Result<Self, Failure> {
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
            Err(error) => return Err(error.into()),
        }
        // What was said before is known at once: who asks must not take it for silence, or silence for work.
        let mut said = Notes::default();
        let before = store.read(&stream, 0, usize::MAX).await?;
        before.events.into_iter().for_each(|event| said.note(event));
        let notes = Arc::new(Mutex::new(said));
        let (told, news) = watch::channel(0);
        let (mut events, kept) = (store.subscribe(&stream, before.last_seq), notes.clone());
        let listening = tokio::spawn(async move {
            while let Some(event) = events.next().await {
                let is_broken = event.is_err();
                match event {
                    Ok(event) => lock(&kept).note(event),
                    Err(error) => lock(&kept).broken = Some(error.into()),
                }
                told.send_modify(|n_events| *n_events += 1);
                if is_broken {
                    return;
                }
            }
        });
        Ok(Self {
            stream,
            notes,
            news,
            listening: listening.abort_handle(),
        })
    }

    /// What is known of an attempt, beyond the first words.
    pub(super) fn known(&self, step: &StepKey, attempt: u32, n_heard: usize) -> Result<Known, Failure> {
        let notes = lock(&self.notes);
        if let Some(failure) = &notes.broken {
            return Err(failure.clone());
        }
        let words = notes.words.get(&(step.clone(), attempt));
        let silent = notes.silent.get(step);
        Ok(Known {
            words: words
                .map(|words| words.iter().skip(n_heard).cloned().collect())
                .unwrap_or_default(),
            is_silent: silent.is_some_and(|attempts| attempts.contains(&attempt)),
        })
    }

    /// How many workers fell silent over a step.
    pub(super) fn n_silent(&self, step: &StepKey) -> usize {
        lock(&self.notes).silent.get(step).map_or(0, Vec::len)
    }

    /// The attempt of a step that brought a result, if one did.
    pub(super) fn done(&self, step: &StepKey) -> Option<u32> {
        let notes = lock(&self.notes);
        let mut all = notes.words.range((step.clone(), 0)..=(step.clone(), u32::MAX));
        let done = all.find(|(_, words)| matches!(words.last(), Some(StepWord::Done(_))));
        done.map(|((_, attempt), _)| *attempt)
    }

    /// What an attempt left outside, as far as its worker said.
    pub(super) fn handle(&self, step: &StepKey, attempt: u32) -> Option<Json> {
        let notes = lock(&self.notes);
        let words = notes.words.get(&(step.clone(), attempt))?;
        words.iter().rev().find_map(|word| match word {
            StepWord::Handle(handle) => Some(handle.clone()),
            _ => None,
        })
    }

    /// Fires when something new was said.
    pub(super) fn news(&self) -> watch::Receiver<u64> {
        self.news.clone()
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

impl Notes {
    fn note(&mut self, event: Event) {
        if let Some(reported) = event.update.as_step_reported() {
            let key = (reported.step, reported.attempt);
            self.words.entry(key).or_default().push(reported.said);
        } else if let Some(failed) = event.update.as_step_failed() {
            // The queue's own word: nobody was heard within the lease.
            self.silent.entry(failed.step).or_default().push(failed.attempt);
        }
    }
}

fn lock(notes: &Mutex<Notes>) -> MutexGuard<'_, Notes> {
    notes.lock().unwrap_or_else(PoisonError::into_inner)
}
