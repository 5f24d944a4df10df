//! A batch as it was submitted.

use gemicro_event::Json;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A valid batch: ids are unique, and dependencies exist and are not circular.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubmittedBatch {
    /// The caller's own name for the batch: submitting the same key twice gives one batch.
    pub key: Option<String>,
    /// Whether the other tasks start after one has failed.
    pub on_failure: OnFailure,
    /// Seconds after submission at which unfinished tasks expire.
    pub deadline_seconds: Option<u64>,
    /// The tasks, in submission order.
    pub tasks: Vec<Task>,
}

/// One task of a batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// Name of the task, unique in the batch: 1 to 128 letters, digits, `_`, `-`, `.`, `:` or `/`.
    pub task_id: String,
    /// Name of the task type.
    #[serde(rename = "type")]
    pub task_type: String,
    /// Parameters of the task, as defined by its type.
    pub parameters: Json,
    /// Tasks that must complete first. Tasks that `parameters` refer to need not be listed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<String>,
    /// Tasks with a higher number start first; equal ones in submission order.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub priority: i32,
    /// Seconds after submission at which the task expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_seconds: Option<u64>,
    /// Retries after temporary failures; 2 by default. The same as `max_attempts` minus one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_retries: Option<u32>,
    /// Attempts in total for temporary failures; 3 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_attempts: Option<u32>,
    /// Only for shell commands: running it twice does no harm, so it is rerun after an interruption.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub idempotent: bool,
}

impl Task {
    /// Attempts in total; `None` where the task sets neither field.
    #[must_use]
    pub fn attempts(&self) -> Option<u32> {
        let by_retries = self.max_retries.map(|n_retries| n_retries.saturating_add(1));
        self.max_attempts.or(by_retries)
    }
}

/// Whether other tasks start after one has failed. Tasks that depend on it are always skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnFailure {
    /// The other tasks still run.
    #[default]
    Continue,
    /// No other task starts; running ones continue.
    Stop,
}

fn is_zero(priority: &i32) -> bool {
    *priority == 0
}
