//! The executors of an update: recorded answers where the input is unchanged, real work elsewhere.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use futures_util::future::BoxFuture;
use gemicro_core::drive::StopSignals;
use gemicro_core::execute::{Executor, Executors, StepCall};
use gemicro_core::flow::{Step, StepFailure, StepOutput};
use gemicro_core::run::events::RunReaders;
use gemicro_event::{ErrorKind, Failure, Json, StepKey, StreamId};

use crate::executor::recorded_result;
use crate::recording::Recording;

/// What the runs of an update know of each other.
#[derive(Clone)]
pub struct RecordingUpdate {
    answers: Arc<Vec<RecordedAnswer>>,
    n_real: Arc<AtomicUsize>,
    refusal: Arc<OnceLock<Failure>>,
    /// Stops the run when a step cannot be run for real.
    stop: StopSignals,
}

/// How a recorded step ended.
struct RecordedAnswer {
    run: StreamId,
    step: StepKey,
    kind: String,
    input: Json,
    result: Result<StepOutput, StepFailure>,
    live: Vec<String>,
}

impl RecordingUpdate {
    /// An update of this recording; it stops its run by these signals when a step cannot be run for real.
    #[must_use]
    pub fn new(recording: &Recording, stop: StopSignals) -> Self {
        Self {
            answers: Arc::new(recorded_answers(recording)),
            n_real: Arc::default(),
            refusal: Arc::default(),
            stop,
        }
    }

    /// These executors behind the recorded answers.
    #[must_use]
    pub fn in_front_of(&self, real: &Executors) -> Executors {
        let recorded = self.answers.iter().map(|answer| answer.kind.as_str());
        let kinds = recorded.chain(real.kinds());
        kinds.fold(Executors::default(), |executors, kind| {
            let executor = UpdatingExecutor {
                update: self.clone(),
                real: real.get(kind),
            };
            executors.with(kind, Arc::new(executor))
        })
    }

    /// Number of attempts that ran for real.
    #[must_use]
    pub fn n_real(&self) -> usize {
        self.n_real.load(Ordering::Relaxed)
    }

    /// Why a step could not be run for real.
    #[must_use]
    pub fn refusal(&self) -> Option<&Failure> {
        self.refusal.get()
    }

    fn answer_to(&self, call: &StepCall) -> Option<&RecordedAnswer> {
        let answers = self.answers.iter();
        let fits = |answer: &&RecordedAnswer| {
            answer.run == call.run && answer.kind == call.step.kind && answer.input == call.step.input
        };
        let mut fitting: Vec<_> = answers.filter(fits).collect();
        // Of several steps with one input, the one with the same key comes first.
        fitting.sort_by_key(|answer| answer.step != call.step.key);
        fitting.into_iter().next()
    }

    fn refuse(&self, kind: ErrorKind, message: String) -> StepFailure {
        let failure = Failure::new(kind, message);
        // Only the first one counts: the others follow from it.
        let _ = self.refusal.set(failure.clone());
        self.stop.suspend.cancel();
        StepFailure::free(failure)
    }
}

fn recorded_answers(recording: &Recording) -> Vec<RecordedAnswer> {
    let mut answers = Vec::new();
    for run in recording.runs() {
        let mut started = std::collections::HashMap::new();
        for event in &run.events {
            if let Some(it) = event.update.as_step_started() {
                started.insert(it.step.clone(), it);
                continue;
            }
            let is_last = matches!(event.update.event_type.as_str(), "step_completed" | "step_failed");
            let Some((step, attempt, result)) = recorded_result(event).filter(|_| is_last) else {
                continue;
            };
            let was_stopped = |failed: &StepFailure| {
                matches!(failed.failure.kind, ErrorKind::Cancelled | ErrorKind::Interrupted)
            };
            let Some(it) = started
                .remove(&step)
                .filter(|_| !result.as_ref().is_err_and(was_stopped))
            else {
                continue;
            };
            let live = recording.live.iter();
            let live = live.filter(|it| it.run == run.id && it.step == step && it.attempt == attempt);
            answers.push(RecordedAnswer {
                run: run.id.clone(),
                live: live.map(|it| it.text.clone()).collect(),
                step,
                kind: it.kind,
                input: it.input,
                result,
            });
        }
    }
    answers
}

struct UpdatingExecutor {
    update: RecordingUpdate,
    real: Option<Arc<dyn Executor>>,
}

impl Executor for UpdatingExecutor {
    fn execute(&self, call: StepCall) -> BoxFuture<'static, Result<StepOutput, StepFailure>> {
        let (update, real) = (self.update.clone(), self.real.clone());
        Box::pin(async move {
            if let Some(answer) = update.answer_to(&call) {
                answer.live.iter().for_each(|text| call.live.push(text));
                return answer.result.clone();
            }
            let (step, attempt, cancel) = (call.step.clone(), call.attempt, call.cancel.clone());
            let Some(real) = real else {
                let message = format!(
                    "step {} ({}) changed, and it works on files that a recording does not contain; run it again with --record",
                    step.key, step.kind
                );
                return Err(update.refuse(ErrorKind::InvalidInput, message));
            };
            update.n_real.fetch_add(1, Ordering::Relaxed);
            let result = real.execute(call).await;
            match &result {
                Err(failed) if !cancel.is_cancelled() && is_final(&step, attempt, &failed.failure) => {
                    let message = format!(
                        "step {} changed and failed when it ran again: {}",
                        step.key, failed.failure.message
                    );
                    Err(update.refuse(failed.failure.kind, message))
                }
                Ok(_) | Err(_) => result,
            }
        })
    }

    fn survives_driver(&self) -> bool {
        self.real.as_ref().is_some_and(|real| real.survives_driver())
    }

    fn may_begin_again(&self, step: &Step) -> bool {
        self.real.as_ref().is_some_and(|real| real.may_begin_again(step))
    }

    fn max_parallel(&self) -> Option<usize> {
        self.real.as_ref().and_then(|real| real.max_parallel())
    }
}

fn is_final(step: &Step, attempt: u32, failure: &Failure) -> bool {
    !failure.kind.is_retryable() || attempt >= step.retry.max_attempts
}
