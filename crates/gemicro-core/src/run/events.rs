//! The events every run has, whatever its flow. All are emitted by `drive`.
//!
//! Adding one: payload with its doc here, a line in [`register`], the fold in `state.rs` if it changes the
//! run's state, a golden line in the tests.

use gemicro_event::{
    Charge, CommandId, Failure, Json, Registry, StepKey, Timestamp, Usage, event_payload, event_readers,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::budget::{Limits, Purpose};

/// A run begins. The first event of every run; freezes everything that deciding depends on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunStarted {
    /// Name of the flow.
    pub flow: String,
    /// Version of the flow's events.
    pub flow_version: u32,
    /// The program that started it.
    pub program: String,
    /// What was asked, in one line.
    pub title: String,
    /// The resolved plan.
    pub plan: Json,
    /// What the run may use.
    #[serde(default)]
    pub limits: Limits,
    /// Kept back for the last step.
    #[serde(default)]
    pub held_back: Charge,
    /// Time kept back for the last step, in milliseconds.
    #[serde(default)]
    pub held_back_ms: u64,
}
event_payload!(RunStarted, "run_started", |it| format!(
    "Run started: {}",
    it.title
));

/// An attempt at a step begins; its worst case is reserved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepStarted {
    /// The step.
    pub step: StepKey,
    /// Its kind.
    pub kind: String,
    /// Number of the attempt, from 1.
    pub attempt: u32,
    /// What the executor gets.
    pub input: Json,
    /// What is reserved for it.
    #[serde(default)]
    pub reserved: Charge,
    /// From which part of the budget.
    pub purpose: Purpose,
}
event_payload!(StepStarted, "step_started", |it| match it.attempt {
    1 => format!("Step {} started", it.step),
    attempt => format!("Step {} started again (attempt {attempt})", it.step),
});

/// A running attempt told where it can be picked up after a crash.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepHandle {
    /// The step.
    pub step: StepKey,
    /// The attempt.
    pub attempt: u32,
    /// The outside handle: an interaction id, a session, a process.
    pub handle: Json,
}
event_payload!(StepHandle, "step_handle", |it| format!(
    "Step {} can be picked up",
    it.step
));

/// Something unknown came from outside while a step ran; nothing failed. At most once per message and attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepAlarm {
    /// The step.
    pub step: StepKey,
    /// The attempt.
    pub attempt: u32,
    /// What is odd.
    pub message: String,
}
event_payload!(StepAlarm, "step_alarm", |it| format!(
    "Step {}: {}",
    it.step, it.message
));

/// A step has its result. At most once per step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepCompleted {
    /// The step.
    pub step: StepKey,
    /// The attempt that succeeded.
    pub attempt: u32,
    /// The complete result.
    pub output: Json,
    /// What it cost.
    #[serde(default)]
    pub charge: Charge,
    /// Tokens as reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}
event_payload!(StepCompleted, "step_completed", |it| format!(
    "Step {} completed",
    it.step
));

/// An attempt failed and another follows after a wait.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepRetrying {
    /// The step.
    pub step: StepKey,
    /// The attempt that failed.
    pub attempt: u32,
    /// Why.
    pub error: Failure,
    /// What it cost.
    #[serde(default)]
    pub charge: Charge,
    /// When the next attempt may start.
    pub retry_at: Timestamp,
}
event_payload!(StepRetrying, "step_retrying", |it| format!(
    "Step {} failed ({}); trying again",
    it.step, it.error.message
));

/// A step failed for good: not retryable, or no attempt left, or the budget did not allow it (attempt 0).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepFailed {
    /// The step.
    pub step: StepKey,
    /// The last attempt; 0 when it was never started.
    pub attempt: u32,
    /// Why.
    pub error: Failure,
    /// What the last attempt cost.
    #[serde(default)]
    pub charge: Charge,
}
event_payload!(StepFailed, "step_failed", |it| format!(
    "Step {} failed: {}",
    it.step, it.error.message
));

/// An attempt was cut off with its process or by a stop. Its full reservation counts as spent; the step
/// starts again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepLost {
    /// The step.
    pub step: StepKey,
    /// The attempt that was cut off.
    pub attempt: u32,
    /// What is charged for it.
    #[serde(default)]
    pub charge: Charge,
}
event_payload!(StepLost, "step_lost", |it| format!(
    "Step {} was cut off",
    it.step
));

/// Four fifths of a limit are used up. At most once per run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BudgetWarning {
    /// The largest used share of any limit, in percent.
    pub used_percent: u32,
    /// Spent so far.
    pub spent: Charge,
}
event_payload!(BudgetWarning, "budget_warning", |it| format!(
    "{} % of the budget is used",
    it.used_percent
));

/// A timer that the flow waited for is due.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TimerFired {
    /// The timer's key.
    pub key: String,
}
event_payload!(TimerFired, "timer_fired", |it| format!("Timer {} fired", it.key));

/// The time limit is near (only the last step may still run) or over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeadlinePassed {
    /// The whole limit is used up; nothing may run any more.
    pub over: bool,
}
event_payload!(DeadlinePassed, "deadline_passed", |it| if it.over {
    "The time limit is over".to_owned()
} else {
    "The time limit is near: finishing with what there is".to_owned()
});

/// Somebody asked the run to stop for good.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CancelRequested {
    /// The command.
    pub command_id: CommandId,
    /// Why, if given.
    #[serde(default)]
    pub reason: String,
}
event_payload!(CancelRequested, "cancel_requested", |_it| "Cancel requested"
    .to_owned());

/// The run asks a person something and waits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AnswerRequested {
    /// Names the question.
    pub key: String,
}
event_payload!(AnswerRequested, "answer_requested", |it| format!(
    "Waiting for an answer: {}",
    it.key
));

/// A person answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AnswerGiven {
    /// The question.
    pub key: String,
    /// The answer.
    pub answer: Json,
}
event_payload!(AnswerGiven, "answer_given", |it| format!(
    "Answer given: {}",
    it.key
));

/// The run stopped in the middle, by a first Ctrl-C or (noted on recovery) a crash. It can be resumed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunSuspended {
    /// Why.
    pub reason: String,
    /// When work really stopped: after a crash, the time of the last event before it.
    pub stopped_at: Timestamp,
}
event_payload!(RunSuspended, "run_suspended", |it| format!(
    "Run suspended: {}",
    it.reason
));

/// A suspended run goes on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunResumed {
    /// The program that continues it.
    pub program: String,
}
event_payload!(RunResumed, "run_resumed", |_it| "Run resumed".to_owned());

/// The run ended with a typed failure. Terminal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunFailed {
    /// Why.
    pub error: Failure,
    /// What the run cost.
    #[serde(default)]
    pub spent: Charge,
}
event_payload!(RunFailed, "run_failed", |it| format!(
    "Run failed: {}",
    it.error.message
));

/// The run was cancelled. Terminal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunCancelled {
    /// Why, if given.
    #[serde(default)]
    pub reason: String,
    /// What the run cost.
    #[serde(default)]
    pub spent: Charge,
}
event_payload!(RunCancelled, "run_cancelled", |_it| "Run cancelled".to_owned());

/// The run was given up. Terminal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunInterrupted {
    /// Why.
    pub reason: String,
}
event_payload!(RunInterrupted, "run_interrupted", |it| format!(
    "Run given up: {}",
    it.reason
));

/// Events between two places are no longer there. Never stored: a reader gets it in their place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Gap {
    /// The first sequence number that is still there.
    pub first_available: u64,
}
event_payload!(Gap, "gap", |it| format!(
    "Earlier events are gone; the first there is has number {}",
    it.first_available
));

event_readers! {
    /// Readers of the events every run has.
    pub trait RunReaders {
        RunStarted => as_run_started, try_as_run_started;
        StepStarted => as_step_started, try_as_step_started;
        StepHandle => as_step_handle, try_as_step_handle;
        StepAlarm => as_step_alarm, try_as_step_alarm;
        StepCompleted => as_step_completed, try_as_step_completed;
        StepRetrying => as_step_retrying, try_as_step_retrying;
        StepFailed => as_step_failed, try_as_step_failed;
        StepLost => as_step_lost, try_as_step_lost;
        BudgetWarning => as_budget_warning, try_as_budget_warning;
        TimerFired => as_timer_fired, try_as_timer_fired;
        DeadlinePassed => as_deadline_passed, try_as_deadline_passed;
        CancelRequested => as_cancel_requested, try_as_cancel_requested;
        AnswerRequested => as_answer_requested, try_as_answer_requested;
        AnswerGiven => as_answer_given, try_as_answer_given;
        RunSuspended => as_run_suspended, try_as_run_suspended;
        RunResumed => as_run_resumed, try_as_run_resumed;
        RunFailed => as_run_failed, try_as_run_failed;
        RunCancelled => as_run_cancelled, try_as_run_cancelled;
        RunInterrupted => as_run_interrupted, try_as_run_interrupted;
        Gap => as_gap, try_as_gap;
    }
}

/// Registers the events every run has.
pub fn register(registry: &mut Registry) {
    registry.add::<RunStarted>();
    registry.add::<StepStarted>();
    registry.add::<StepHandle>();
    registry.add::<StepAlarm>();
    registry.add::<StepCompleted>();
    registry.add::<StepRetrying>();
    registry.add::<StepFailed>();
    registry.add::<StepLost>();
    registry.add::<BudgetWarning>();
    registry.add::<TimerFired>();
    registry.add::<DeadlinePassed>();
    registry.add::<CancelRequested>();
    registry.add::<AnswerRequested>();
    registry.add::<AnswerGiven>();
    registry.add::<RunSuspended>();
    registry.add::<RunResumed>();
    registry.add::<RunFailed>();
    registry.add::<RunCancelled>();
    registry.add::<RunInterrupted>();
    registry.add::<Gap>();
}
