//! A batch as it was handed in.

use gemicro_event::Json;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A batch that can be carried out: ids are unique, dependencies exist and lead nowhere round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubmittedBatch {
    /// The caller's own name for it: the same key handed in twice is one batch.
    pub key: Option<String>,
    /// What a failure means for the others.
    pub on_failure: OnFailure,
    /// Seconds from now after which nothing of it runs any more.
    pub deadline_seconds: Option<u64>,
    /// The tasks, in the order they came.
    pub tasks: Vec<Task>,
}

/// One task of a batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// Its name in the batch: 1 to 128 letters, digits, `_`, `-`, `.`, `:` or `/`.
    pub task_id: String,
    /// What is to be done; see the task types.
    #[serde(rename = "type")]
    pub task_type: String,
    /// The details, as its type asks for them.
    pub parameters: Json,
    /// Tasks that have to complete first. Those that `parameters` refer to need not be named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub depends_on: Vec<String>,
    /// Higher ones start first; in the order of the batch where it is the same.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub priority: i32,
    /// Seconds from the submission after which it must not run any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_seconds: Option<u64>,
    /// How often it is tried again where a failure may pass; 2 by default. The same as `max_attempts`, less one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_retries: Option<u32>,
    /// How often it is tried in all where a failure may pass; 3 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_attempts: Option<u32>,
    /// Only for shell commands: running it twice does no harm, so it is run again after it was cut off.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub idempotent: bool,
}

impl Task {
    /// Attempts in all, where the task says so.
    #[must_use]
    pub fn attempts(&self) -> Option<u32> {
        let by_retries = self.max_retries.map(|n_retries| n_retries.saturating_add(1));
        self.max_attempts.or(by_retries)
    }
}

/// What a failed task means for the others. Those that depend on it are skipped in either case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnFailure {
    /// The other tasks run all the same.
    #[default]
    Continue,
    /// No other is started; those that run go on to their end.
    Stop,
}

fn is_zero(priority: &i32) -> bool {
    *priority == 0
}
