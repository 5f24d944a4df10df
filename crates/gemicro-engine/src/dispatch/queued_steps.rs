//! The driver's side: a step goes into the queue, and its end comes back.

use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use futures_util::future::BoxFuture;
use gemicro_core::ask::AGENT_STEP;
use gemicro_core::execute::{Executor, StepCall, Told};
use gemicro_core::flow::{Again, Spent, Step, StepFailure, StepOutput};
use gemicro_core::llm::LLM_STEP;
use gemicro_core::queue::{QueueState, QueuedStep, StepQueue};
use gemicro_event::{ErrorKind, Failure, Json, StreamId, Timestamp};
use gemicro_store::DurableStore;
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;

use super::reports::{Errand, Heard};
use super::watcher::Watcher;

/// A step over which so many workers fell silent is not given to another one.
const MAX_SILENT: usize = 3;

/// How soon an attempt is put into the queue again while an earlier one is in its place.
const AGAIN: Duration = Duration::from_millis(200);

/// Stands in the place of executors whose steps any worker may do.
#[derive(Clone)]
pub(crate) struct QueuedSteps {
    store: Arc<DurableStore>,
    watchers: Arc<Mutex<HashMap<StreamId, Weak<Watcher>>>>,
}

/// The place of a step in the queue, as a handle in the run's journal.
#[derive(Debug, Serialize, Deserialize)]
struct QueueHandle {
    /// The attempt that was queued.
    queued: u32,
}

impl QueuedSteps {
    pub(crate) fn new(store: Arc<DurableStore>) -> Self {
        Self {
            store,
            watchers: Arc::default(),
        }
    }

    async fn watcher(&self, run: &StreamId) -> Result<Arc<Watcher>, Failure> {
        let mut watchers = self.watchers.lock().await;
        if let Some(watcher) = watchers.get(run).and_then(Weak::upgrade) {
            return Ok(watcher);
        }
        watchers.retain(|_, watcher| watcher.strong_count() > 0);
        let watcher = Arc::new(Watcher::open(&self.store, run).await?);
        watchers.insert(run.clone(), Arc::downgrade(&watcher));
        Ok(watcher)
    }

    async fn carry_out(&self, call: StepCall) -> Result<StepOutput, StepFailure> {
        let watcher = self.watcher(&call.run).await.map_err(StepFailure::free)?;
        let earlier = call
            .handle
            .as_ref()
            .and_then(|handle| handle.parse::<QueueHandle>().ok());
        let (attempt, left) = match earlier {
            None => (call.attempt, None),
            Some(earlier) => self.pick_up(&watcher, &call, earlier.queued)?,
        };
        let handle = Json::of(&QueueHandle { queued: attempt }).unwrap_or_default();
        // Whoever drives the run next has to know the place in the queue before anybody takes the step.
        tokio::select! {
            noted = call.reporter.handle_noted(handle) => noted?,
            () = call.cancel.cancelled() => return Err(StepFailure::free(before_it_began())),
        }
        let attempt = self.put(&watcher, &call, attempt, left).await?;
        self.listen(&watcher, &call, attempt).await
    }

    /// Which attempt to listen to when an earlier one was cut off, and what it left outside.
    fn pick_up(
        &self,
        watcher: &Watcher,
        call: &StepCall,
        queued: u32,
    ) -> Result<(u32, Option<Json>), StepFailure> {
        let key = &call.step.key;
        let known = watcher.known(key, queued, 0).map_err(StepFailure::free)?;
        if !known.is_silent {
            return Ok((queued, None));
        }
        if watcher.n_silent(key) >= MAX_SILENT {
            let message = format!("{MAX_SILENT} workers fell silent over it");
            return Err(StepFailure {
                failure: Failure::new(ErrorKind::Internal, message),
                spent: Spent::Unknown,
                again: Again::Never,
            });
        }
        let Some(left) = watcher.handle(key, queued) else {
            let message = "its worker fell silent before it said where to go on";
            let failure = Failure::new(ErrorKind::SessionNotFound, message);
            return Err(StepFailure::new(failure, Spent::Unknown));
        };
        Ok((call.attempt, Some(left)))
    }

    /// Puts an attempt into the queue, unless it is there or was; answers which attempt to listen to. One that nobody
    /// waits for any more comes first: it ends soon, and where it brought a result, that is the step's.
    async fn put(
        &self,
        watcher: &Watcher,
        call: &StepCall,
        attempt: u32,
        left: Option<Json>,
    ) -> Result<u32, StepFailure> {
        let key = &call.step.key;
        loop {
            if self.enqueue(watcher, call, attempt, left.clone()).await? > 0 || attempt < call.attempt {
                return Ok(attempt);
            }
            if let Some(done) = watcher.done(key) {
                return Ok(done);
            }
            let known = watcher.known(key, attempt, 0).map_err(StepFailure::free)?;
            if known.is_silent || !known.words.is_empty() {
                return Ok(attempt);
            }
            tokio::select! {
                () = tokio::time::sleep(AGAIN) => {}
                () = call.cancel.cancelled() => return Err(StepFailure::free(before_it_began())),
            }
        }
    }

    async fn enqueue(
        &self,
        watcher: &Watcher,
        call: &StepCall,
        attempt: u32,
        handle: Option<Json>,
    ) -> Result<u64, StepFailure> {
        let errand = Errand {
            run: call.run.clone(),
            step: call.step.clone(),
            handle,
        };
        let step = QueuedStep {
            stream: watcher.stream.clone(),
            step: call.step.key.clone(),
            attempt,
            // The driver decides about another one: it keeps the budget.
            max_attempts: attempt,
            kind: call.step.kind.clone(),
            provider: provider(&call.step),
            priority: 0,
            not_before: Timestamp::now(),
            charge: call.step.cost,
            data: Json::of(&errand).expect("an errand has string keys only"),
        };
        self.store.enqueue(vec![step]).await.map_err(store_failed)
    }

    async fn listen(
        &self,
        watcher: &Watcher,
        call: &StepCall,
        attempt: u32,
    ) -> Result<StepOutput, StepFailure> {
        let (mut news, mut n_heard, mut is_cancelled) = (watcher.news(), 0, false);
        loop {
            news.mark_unchanged();
            let known = watcher
                .known(&call.step.key, attempt, n_heard)
                .map_err(StepFailure::free)?;
            n_heard += known.words.len();
            for word in known.words {
                match Heard::from(word) {
                    // Ours stands for it in the journal.
                    Heard::Told(Told::Handle(_)) => {}
                    Heard::Told(told) => call.reporter.tell(told),
                    Heard::Ended(ended) => return ended,
                }
            }
            if known.is_silent {
                let failure = Failure::new(ErrorKind::Interrupted, "its worker fell silent");
                return Err(StepFailure {
                    failure,
                    spent: Spent::Unknown,
                    again: Again::CutOff,
                });
            }
            tokio::select! {
                changed = news.changed() => if changed.is_err() {
                    let failure = Failure::new(ErrorKind::StorageError, "the store tells nothing more");
                    return Err(StepFailure::free(failure));
                },
                () = call.cancel.cancelled(), if !is_cancelled => {
                    is_cancelled = true;
                    let key = std::slice::from_ref(&call.step.key);
                    let states = self.store.cancel(&watcher.stream, key).await.map_err(store_failed)?;
                    // Nobody had begun.
                    if states.first().is_some_and(|state| *state == Some(QueueState::Cancelled)) {
                        return Err(StepFailure::free(before_it_began()));
                    }
                }
            }
        }
    }
}

impl Executor for QueuedSteps {
    fn execute(&self, call: StepCall) -> BoxFuture<'static, Result<StepOutput, StepFailure>> {
        let steps = self.clone();
        Box::pin(async move { steps.carry_out(call).await })
    }

    /// A worker has it, or will.
    fn goes_on_outside(&self) -> bool {
        true
    }
}

/// Whose limits hold for a step.
fn provider(step: &Step) -> Option<String> {
    let name = match step.kind.as_str() {
        LLM_STEP => "backend",
        AGENT_STEP => "agent",
        _ => return None,
    };
    step.input
        .get(name)
        .and_then(|name| name.as_str())
        .map(str::to_owned)
}

fn before_it_began() -> Failure {
    Failure::new(ErrorKind::Cancelled, "stopped before it began")
}

fn store_failed(error: gemicro_core::store::StoreError) -> StepFailure {
    StepFailure::free(error.into())
}
