//! The driver's side: puts a step into the queue and waits for its end.

use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use futures_util::future::BoxFuture;
use gemicro_core::ask::AGENT_STEP;
use gemicro_core::execute::{AttemptMessage, Executor, Executors, StepCall};
use gemicro_core::flow::{Again, AttemptCost, Step, StepFailure, StepOutput};
use gemicro_core::llm::LLM_STEP;
use gemicro_core::queue::{QueueState, QueuedStep, StepQueue};
use gemicro_core::store::StoreError;
use gemicro_event::{Charge, ErrorKind, Failure, Json, StreamId, Timestamp};
use gemicro_store::DurableStore;
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;

use super::history::NextStep;
use super::reports::{ReportMeaning, WorkerErrand};
use super::watcher::StreamWatcher;

/// Wait before a store that did not answer is asked again.
const AGAIN: Duration = Duration::from_millis(250);
/// Wait after the first interrupted attempt; it doubles each time.
const FIRST_WAIT: Duration = Duration::from_millis(250);
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// Replaces executors whose steps any worker may run.
#[derive(Clone)]
pub(crate) struct QueuedSteps {
    store: Arc<DurableStore>,
    /// The real executors; used here only to decide which steps may begin twice.
    executors: Executors,
    watchers: Arc<Mutex<HashMap<StreamId, Weak<StreamWatcher>>>>,
}

/// The queue position of a step, as a handle in the run's journal.
#[derive(Debug, Serialize, Deserialize)]
struct QueueHandle {
    /// The attempt that was queued, unless an earlier one is still in the queue.
    queued: u32,
    /// The first attempt whose end is not in the journal; defaults to `queued`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    since: Option<u32>,
}

impl QueuedSteps {
    pub(crate) fn new(store: Arc<DurableStore>, executors: Executors) -> Self {
        Self {
            store,
            executors,
            watchers: Arc::default(),
        }
    }

    async fn watcher(&self, run: &StreamId) -> Result<Arc<StreamWatcher>, StoreError> {
        let mut watchers = self.watchers.lock().await;
        let known = watchers.get(run).and_then(Weak::upgrade);
        if let Some(watcher) = known.filter(|watcher| !watcher.is_broken()) {
            return Ok(watcher);
        }
        watchers.retain(|_, watcher| watcher.strong_count() > 0);
        let watcher = Arc::new(StreamWatcher::open(&self.store, run).await?);
        watchers.insert(run.clone(), Arc::downgrade(&watcher));
        Ok(watcher)
    }

    async fn carry_out(&self, call: StepCall) -> Result<StepOutput, StepFailure> {
        let watcher = patiently(&call, || self.watcher(&call.run)).await?;
        let handle = call.handle.as_ref();
        let earlier = handle.and_then(|handle| handle.parse::<QueueHandle>().ok());
        let since = earlier.map_or(call.attempt, |earlier| earlier.since.unwrap_or(earlier.queued));
        let may_begin_again = self.may_begin_again(&call.step);
        let (mut news, mut is_noted) = (watcher.news(), false);
        loop {
            news.mark_unchanged();
            let history = watcher.history(&call.step.key).map_err(StepFailure::free)?;
            let left = match history.next(since, may_begin_again) {
                NextStep::Hear(attempt) => return self.listen(&watcher, &call, attempt).await,
                NextStep::Try(left) => left,
                next @ (NextStep::Charge | NextStep::Interrupted | NextStep::GiveUp) => {
                    return Err(refused_retry(&next));
                }
            };
            if !is_noted {
                note(&call, since, history.n_lost()).await?;
                is_noted = true;
                // Reports that arrived meanwhile count.
                continue;
            }
            let step = self.queued_step(&watcher, &call, left);
            let offer = || self.store.offer(step.clone(), history.last_over());
            let placed = patiently(&call, offer).await?;
            if placed >= since {
                return self.listen(&watcher, &call, placed).await;
            }
            // An earlier attempt that no driver waits for is still open. It ends soon; if it has a result, that is
            // the step's result.
            tokio::select! {
                changed = news.changed() => changed.map_err(|_| nothing_more())?,
                () = call.cancel.cancelled() => return Err(StepFailure::free(before_it_began())),
            }
        }
    }

    fn queued_step(&self, watcher: &StreamWatcher, call: &StepCall, left: Option<Json>) -> QueuedStep {
        let errand = WorkerErrand {
            run: call.run.clone(),
            step: call.step.clone(),
            handle: left,
        };
        QueuedStep {
            stream: watcher.stream.clone(),
            step: call.step.key.clone(),
            attempt: call.attempt,
            // The driver decides about further attempts, because it tracks the budget.
            max_attempts: call.attempt,
            kind: call.step.kind.clone(),
            provider: provider(&call.step),
            priority: 0,
            // Due at once, regardless of the clocks of driver and store.
            not_before: Timestamp::default(),
            charge: call.step.cost,
            data: Json::of(&errand).expect("an errand has string keys only"),
        }
    }

    async fn listen(
        &self,
        watcher: &StreamWatcher,
        call: &StepCall,
        attempt: u32,
    ) -> Result<StepOutput, StepFailure> {
        let (mut news, mut n_heard, mut is_cancelled) = (watcher.news(), 0, false);
        loop {
            news.mark_unchanged();
            let mut history = watcher.history(&call.step.key).map_err(StepFailure::free)?;
            let known = history.attempts.remove(&attempt).unwrap_or_default();
            let n_words = known.words.len();
            for word in known.words.into_iter().skip(n_heard) {
                match ReportMeaning::from(word) {
                    // The journal has our own handle instead.
                    ReportMeaning::Message(AttemptMessage::Handle(_)) => {}
                    ReportMeaning::Message(message) => call.reporter.tell(message),
                    ReportMeaning::Ended(ended) => return ended,
                }
            }
            n_heard = n_words;
            if known.is_silent {
                let failure = Failure::new(ErrorKind::Interrupted, "its worker stopped responding");
                return Err(StepFailure {
                    failure,
                    spent: AttemptCost::Unknown,
                    again: Again::CutOff,
                });
            }
            tokio::select! {
                changed = news.changed() => changed.map_err(|_| nothing_more())?,
                () = call.cancel.cancelled(), if !is_cancelled => {
                    is_cancelled = true;
                    let key = std::slice::from_ref(&call.step.key);
                    let states = self.store.cancel(&watcher.stream, key).await.map_err(store_failed)?;
                    // No worker had claimed it.
                    if states.first().is_some_and(|state| *state == Some(QueueState::Cancelled)) {
                        return Err(StepFailure::free(before_it_began()));
                    }
                }
            }
        }
    }
}

/// Records the queue position, which the next driver must know before any worker claims the step; then waits, longer
/// the more attempts were interrupted.
async fn note(call: &StepCall, since: u32, n_lost: usize) -> Result<(), StepFailure> {
    let handle = QueueHandle {
        queued: call.attempt,
        since: Some(since),
    };
    let wait = match u32::try_from(n_lost).unwrap_or(u32::MAX) {
        0 => Duration::ZERO,
        n_lost => FIRST_WAIT
            .saturating_mul(1 << (n_lost - 1).min(10))
            .min(LONGEST_WAIT),
    };
    let noted = async {
        let handle = Json::of(&handle).unwrap_or_default();
        call.reporter.handle_noted(handle).await?;
        tokio::time::sleep(wait).await;
        Ok(())
    };
    tokio::select! {
        noted = noted => noted,
        () = call.cancel.cancelled() => Err(StepFailure::free(before_it_began())),
    }
}

/// Retries until the store answers, because a temporary outage must not end a step.
async fn patiently<T, F>(call: &StepCall, mut ask: impl FnMut() -> F) -> Result<T, StepFailure>
where
    F: Future<Output = Result<T, StoreError>>,
{
    let mut is_reported = false;
    loop {
        match ask().await {
            Ok(answer) => return Ok(answer),
            Err(StoreError::Io { message }) if is_reported => {
                tracing::debug!(%message, "the store is asked again")
            }
            Err(StoreError::Io { message }) => {
                is_reported = true;
                tracing::warn!(%message, step = %call.step.key, "a step waits for the store");
            }
            Err(error) => return Err(store_failed(error)),
        }
        tokio::select! {
            () = tokio::time::sleep(AGAIN) => {}
            () = call.cancel.cancelled() => return Err(StepFailure::free(before_it_began())),
        }
    }
}

/// Why there is no further attempt.
fn refused_retry(next: &NextStep) -> StepFailure {
    let (kind, message, again) = match next {
        NextStep::Charge => (
            ErrorKind::SessionNotFound,
            "the worker stopped responding before it recorded how to resume this call",
            Again::AsUsual,
        ),
        NextStep::Interrupted => (
            ErrorKind::Interrupted,
            "interrupted after it may have started; its changes so far are kept. Check them, then retry the task",
            Again::Never,
        ),
        NextStep::Hear(_) | NextStep::Try(_) | NextStep::GiveUp => (
            ErrorKind::Internal,
            "several workers stopped responding while running this step, so it is not retried. Check their logs, then retry the task",
            Again::Never,
        ),
    };
    StepFailure {
        failure: Failure::new(kind, message),
        spent: AttemptCost::Unknown,
        again,
    }
}

impl Executor for QueuedSteps {
    fn execute(&self, call: StepCall) -> BoxFuture<'static, Result<StepOutput, StepFailure>> {
        let steps = self.clone();
        Box::pin(async move { steps.carry_out(call).await })
    }

    /// A worker runs it, or will.
    fn survives_driver(&self) -> bool {
        true
    }

    fn lower_cost(&self, run: &StreamId, step: &Step, attempt: u32) -> BoxFuture<'static, Option<Charge>> {
        match self.executors.get(&step.kind) {
            Some(executor) => executor.lower_cost(run, step, attempt),
            None => Box::pin(std::future::ready(None)),
        }
    }

    fn may_begin_again(&self, step: &Step) -> bool {
        let executor = self.executors.get(&step.kind);
        executor.is_some_and(|executor| executor.may_begin_again(step))
    }
}

/// The provider whose limits apply to a step.
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

fn nothing_more() -> StepFailure {
    let failure = Failure::new(
        ErrorKind::StorageError,
        "the store stopped reporting on this step. `gemicro doctor` checks the store",
    );
    StepFailure::free(failure)
}

fn store_failed(error: StoreError) -> StepFailure {
    StepFailure::free(error.into())
}
