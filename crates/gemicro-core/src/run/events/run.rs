//! Events about runs as a whole.

use gemicro_event::{Charge, CommandId, Failure, Json, Timestamp, event_payload};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::budget::{DayGrant, Limits};

/// A run begins. The first event of every run; contains everything that its decisions depend on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunStarted {
    /// Name of the flow.
    pub flow: String,
    /// Version of the flow's events.
    pub flow_version: u32,
    /// The program that started it.
    pub program: String,
    /// The request, in one line.
    pub title: String,
    /// The plan, in the form that its flow defines.
    pub plan: Json,
    /// Limits of the run.
    #[serde(default)]
    pub limits: Limits,
    /// Budget reserved for the last step.
    #[serde(default)]
    pub held_back: Charge,
    /// Time reserved for the last step, in milliseconds.
    #[serde(default)]
    pub held_back_ms: u64,
    /// It repeats what failed in its parent run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub resubmits: bool,
    /// The resident worker runs it, and resumes it whenever it was interrupted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub resident: bool,
    /// Fingerprint of the keys and endpoints it was started with; it reveals nothing without them.
    #[serde(default, rename = "carrier", skip_serializing_if = "Option::is_none")]
    pub credential_fingerprint: Option<String>,
    /// It is a step of its parent run, which is charged for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub part_of_parent: bool,
    /// The part of the day budget that it was granted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub day: Option<DayGrant>,
}
event_payload!(RunStarted, "run_started", |it| format!(
    "Run started: {}",
    it.title
));

/// The run waits for a provider limit to end; no step of this kind starts in the meantime. Repeated when the limit
/// moves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunParked {
    /// When it continues by itself.
    pub until: Timestamp,
    /// Kind of the steps that wait.
    pub kind: String,
    /// Why, in a sentence for people.
    pub reason: String,
}
event_payload!(RunParked, "run_parked", |it| format!(
    "Parked until {}: {}",
    it.until, it.reason
));

/// A parked run continues.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunWoken {}
event_payload!(RunWoken, "run_woken", |_it| "The wait is over".to_owned());

/// Four fifths of a limit are used up. At most once per run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BudgetWarning {
    /// The largest used share of any limit, in percent.
    pub used_percent: u32,
    /// Money and tokens that were used so far.
    pub spent: Charge,
}
event_payload!(BudgetWarning, "budget_warning", |it| format!(
    "{} % of the budget is used",
    it.used_percent
));

/// A timer that the flow waited for is due.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TimerFired {
    /// Key of the timer, chosen by the flow.
    pub key: String,
}
event_payload!(TimerFired, "timer_fired", |it| format!("Timer {} fired", it.key));

/// The time limit is near (only the last step may still run) or over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeadlinePassed {
    /// Whether the whole limit is used up, so that nothing may run any more.
    pub over: bool,
}
event_payload!(DeadlinePassed, "deadline_passed", |it| if it.over {
    "The time limit is reached".to_owned()
} else {
    "The time limit is near: finishing with what is available".to_owned()
});

/// A command changed the limits of the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BudgetAdjusted {
    /// Id of the command that this records.
    pub command_id: CommandId,
    /// All limits of the run from now on.
    pub limits: Limits,
}
event_payload!(BudgetAdjusted, "budget_adjusted", |it| format!(
    "The budget is now {}",
    it.limits
));

/// A command asked the run to end as cancelled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CancelRequested {
    /// Id of the command that this answers or records.
    pub command_id: CommandId,
    /// Why it was requested; empty if no reason was given.
    #[serde(default)]
    pub reason: String,
}
event_payload!(CancelRequested, "cancel_requested", |_it| "Cancel requested"
    .to_owned());

/// The run asks a person something and waits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AnswerRequested {
    /// Key of the question, to be given with the answer.
    pub key: String,
    /// The tool that waits for permission; if absent, the whole run waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// What the tool is to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
}
event_payload!(AnswerRequested, "answer_requested", |it| format!(
    "Waiting for an answer: {}",
    it.key
));

/// A person answered a question of the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AnswerGiven {
    /// Key of the question that was asked.
    pub key: String,
    /// The answer as JSON, in the form that the question requires.
    pub answer: Json,
    /// Name that the answering person gave, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}
event_payload!(AnswerGiven, "answer_given", |it| format!(
    "Answer given: {}",
    it.key
));

/// The run was suspended, by a first Ctrl-C or (recorded on recovery) by a crash. It can be resumed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunSuspended {
    /// Why, in a sentence for people.
    pub reason: String,
    /// When work really stopped: after a crash, the time of the last event before it.
    pub stopped_at: Timestamp,
    /// It was not stopped on request: its process exited or died.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut_off: bool,
}
event_payload!(RunSuspended, "run_suspended", |it| format!(
    "Run suspended: {}",
    it.reason
));

/// A suspended run continues.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunResumed {
    /// The program that continues it.
    pub program: String,
}
event_payload!(RunResumed, "run_resumed", |_it| "Run resumed".to_owned());

/// The run ended with a typed failure. Terminal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunFailed {
    /// Why it failed, with its kind.
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
    /// Why it was cancelled; empty if no reason was given.
    #[serde(default)]
    pub reason: String,
    /// What the run cost.
    #[serde(default)]
    pub spent: Charge,
}
event_payload!(RunCancelled, "run_cancelled", |_it| "Run cancelled".to_owned());

/// The run was abandoned. Terminal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunInterrupted {
    /// Why, in a sentence for people.
    pub reason: String,
}
event_payload!(RunInterrupted, "run_interrupted", |it| format!(
    "Run given up: {}",
    it.reason
));

/// Events between two sequence numbers no longer exist. Never stored: a reader gets it in their place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Gap")]
pub struct EventGap {
    /// The first sequence number that still exists.
    pub first_available: u64,
}
event_payload!(EventGap, "gap", |it| format!(
    "Earlier events were deleted; the first available event is {}",
    it.first_available
));
