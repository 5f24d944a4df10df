//! Events about steps.

use gemicro_event::{Charge, Failure, Json, StepKey, Timestamp, Usage, event_payload};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::budget::Purpose;

/// An attempt at a step begins; its worst case is reserved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepStarted {
    /// Key of the step that this is about.
    pub step: StepKey,
    /// Kind of step, which selects its executor.
    pub kind: String,
    /// Number of the attempt, from 1.
    pub attempt: u32,
    /// Input for the executor.
    pub input: Json,
    /// The amount reserved for it.
    #[serde(default)]
    pub reserved: Charge,
    /// The part of the budget that is used.
    pub purpose: Purpose,
}
event_payload!(StepStarted, "step_started", |it| match it.attempt {
    1 => format!("Step {} started", it.step),
    attempt => format!("Step {} started again (attempt {attempt})", it.step),
});

/// A running attempt reported a handle by which it can be picked up after a crash.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepHandle {
    /// Key of the step that this is about.
    pub step: StepKey,
    /// Number of the attempt, counted from 1.
    pub attempt: u32,
    /// The external handle: an interaction id, a session, a process.
    pub handle: Json,
}
event_payload!(StepHandle, "step_handle", |it| format!(
    "Step {} can be picked up",
    it.step
));

/// Something unexpected came from outside while a step ran; nothing failed. At most once per message and attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepAlarm {
    /// Key of the step that this is about.
    pub step: StepKey,
    /// Number of the attempt, counted from 1.
    pub attempt: u32,
    /// What was not understood, in one sentence.
    pub message: String,
}
event_payload!(StepAlarm, "step_alarm", |it| format!(
    "Step {}: {}",
    it.step, it.message
));

/// A step has its result. At most once per step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepCompleted {
    /// Key of the step that this is about.
    pub step: StepKey,
    /// The attempt that succeeded.
    pub attempt: u32,
    /// The whole result, in the form of the step's kind.
    pub output: Json,
    /// What the attempt cost.
    #[serde(default)]
    pub charge: Charge,
    /// Tokens that the provider reported; absent if no model was called.
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
    /// Key of the step that this is about.
    pub step: StepKey,
    /// The attempt that failed.
    pub attempt: u32,
    /// Why it failed, with its kind.
    pub error: Failure,
    /// What the failed attempt cost.
    #[serde(default)]
    pub charge: Charge,
    /// When the next attempt may start.
    pub retry_at: Timestamp,
}
event_payload!(StepRetrying, "step_retrying", |it| format!(
    "Step {} failed ({}); trying again",
    it.step, it.error.message
));

/// An attempt met a provider limit with a stated end. Not a failure: the step continues after it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepParked {
    /// Key of the step that this is about.
    pub step: StepKey,
    /// The attempt that met the limit.
    pub attempt: u32,
    /// The provider's error.
    pub error: Failure,
    /// What the attempt cost before it met the limit.
    #[serde(default)]
    pub charge: Charge,
    /// When the limit ends.
    pub until: Timestamp,
}
event_payload!(StepParked, "step_parked", |it| format!(
    "Step {} waits: {}",
    it.step, it.error.message
));

/// A step failed permanently: not retryable, no attempt left, or not allowed by the budget (attempt 0).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepFailed {
    /// Key of the step that this is about.
    pub step: StepKey,
    /// The last attempt; 0 when it was never started.
    pub attempt: u32,
    /// Why it failed, with its kind.
    pub error: Failure,
    /// What the last attempt cost.
    #[serde(default)]
    pub charge: Charge,
}
event_payload!(StepFailed, "step_failed", |it| format!(
    "Step {} failed: {}",
    it.step, it.error.message
));

/// An attempt was interrupted by a crash or a stop; the step starts again. If it left a handle, its reservation stays
/// until the handle was tried; otherwise the full reservation counts as spent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepLost {
    /// Key of the step that this is about.
    pub step: StepKey,
    /// The attempt that was interrupted.
    pub attempt: u32,
    /// The amount charged for it now.
    #[serde(default)]
    pub charge: Charge,
    /// Whether the reservation stays: the next attempt tries the handle first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub kept: bool,
}
event_payload!(StepLost, "step_lost", |it| format!(
    "Step {} was cut off",
    it.step
));
