//! The executor that answers every step of a replay from the recording.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use gemicro_core::execute::{Executor, Executors, StepCall};
use gemicro_core::flow::{Again, AttemptCost, Step, StepFailure, StepOutput};
use gemicro_core::run::events::RunReaders;
use gemicro_event::{Charge, ErrorKind, Event, Failure, StepKey, StreamId, Timestamp};

use crate::recording::{LiveDelta, Recording};

/// The executors of a replay: one for all kinds of steps. With `in_real_time` they write the text of a step at the speed
/// at which it was recorded.
#[must_use]
pub fn recorded_executors(recording: &Recording, in_real_time: bool) -> Executors {
    let mut attempts: HashMap<AttemptName, RecordedAttempt> = HashMap::new();
    let mut kinds = BTreeSet::new();
    for event in recording.runs().flat_map(|run| &run.events) {
        if let Some(started) = event.update.as_step_started() {
            kinds.insert(started.kind);
            let name = (event.stream.clone(), started.step, started.attempt);
            let attempt = attempts.entry(name).or_default();
            attempt.started_at = event.update.timestamp;
            attempt.reserved = Some(started.reserved);
        } else if let Some((step, attempt, result)) = recorded_result(event) {
            let name = (event.stream.clone(), step, attempt);
            attempts.entry(name).or_default().result = Some(result);
        }
    }
    for delta in &recording.live {
        let name = (delta.run.clone(), delta.step.clone(), delta.attempt);
        let attempt = attempts.entry(name).or_default();
        let at = delta.at.as_millis();
        attempt.live.entry(at).or_default().push(delta.clone());
    }
    let executor = Arc::new(RecordedExecutor {
        attempts,
        in_real_time,
    });
    kinds.iter().fold(Executors::default(), |executors, kind| {
        executors.with(kind, executor.clone())
    })
}

type AttemptName = (StreamId, StepKey, u32);

struct RecordedExecutor {
    attempts: HashMap<AttemptName, RecordedAttempt>,
    in_real_time: bool,
}

#[derive(Clone, Default)]
struct RecordedAttempt {
    started_at: Timestamp,
    /// What was reserved for it.
    reserved: Option<Charge>,
    /// None for an attempt that was cut off.
    result: Option<Result<StepOutput, StepFailure>>,
    /// Its text, by the millisecond at which it was written.
    live: BTreeMap<i64, Vec<LiveDelta>>,
}

impl Executor for RecordedExecutor {
    fn lower_cost(&self, run: &StreamId, step: &Step, attempt: u32) -> BoxFuture<'static, Option<Charge>> {
        let name = (run.clone(), step.key.clone(), attempt);
        let reserved = self.attempts.get(&name).and_then(|attempt| attempt.reserved);
        Box::pin(std::future::ready(reserved))
    }

    fn execute(&self, call: StepCall) -> BoxFuture<'static, Result<StepOutput, StepFailure>> {
        let name = (call.run.clone(), call.step.key.clone(), call.attempt);
        let attempt = self.attempts.get(&name).cloned();
        let in_real_time = self.in_real_time;
        Box::pin(async move {
            let Some(attempt) = attempt else {
                let message = format!(
                    "the recording has no attempt {} at step {}",
                    call.attempt, call.step.key
                );
                return Err(StepFailure::free(Failure::new(ErrorKind::NotFound, message)));
            };
            let mut at = attempt.started_at;
            for (millis, pieces) in &attempt.live {
                let next = Timestamp::from_millis(*millis);
                if in_real_time && wait_or_cancelled(&call, next.since(at)).await {
                    break;
                }
                at = next;
                pieces.iter().for_each(|piece| call.live.push(&piece.text));
            }
            match attempt.result {
                Some(result) => result,
                None => {
                    call.cancel.cancelled().await;
                    let failure = Failure::new(ErrorKind::Interrupted, "cut off in the recording");
                    Err(StepFailure::free(failure))
                }
            }
        })
    }
}

async fn wait_or_cancelled(call: &StepCall, wait: Duration) -> bool {
    tokio::select! {
        () = tokio::time::sleep(wait) => false,
        () = call.cancel.cancelled() => true,
    }
}

pub(crate) type RecordedResult = Result<StepOutput, StepFailure>;

/// What the executor of an attempt gave back, from the event that its driver made of it.
pub(crate) fn recorded_result(event: &Event) -> Option<(StepKey, u32, RecordedResult)> {
    let update = &event.update;
    let failed = |failure: Failure, charge: Charge, again| StepFailure {
        failure,
        spent: AttemptCost::Known(charge),
        again,
    };
    if let Some(it) = update.as_step_completed() {
        let output = StepOutput {
            output: it.output,
            charge: it.charge,
            usage: it.usage,
        };
        return Some((it.step, it.attempt, Ok(output)));
    }
    if let Some(it) = update.as_step_retrying() {
        let failure = failed(it.error, it.charge, Again::AsUsual);
        return Some((it.step, it.attempt, Err(failure)));
    }
    if let Some(it) = update.as_step_parked() {
        let failure = failed(it.error, it.charge, Again::AsUsual);
        return Some((it.step, it.attempt, Err(failure)));
    }
    // Why it was the last attempt is not recorded: that no other followed is.
    let it = update.as_step_failed()?;
    let failure = failed(it.error, it.charge, Again::Never);
    Some((it.step, it.attempt, Err(failure)))
}
