//! The events of a batch.

use gemicro_event::{Failure, Json, StreamId, event_payload, event_readers};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::{ItemQuestion, ItemState};

/// A task begins. Once per task and epoch, with the start of its step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BatchItemStarted {
    /// Id of the task in its batch.
    pub task_id: String,
    /// Number of earlier retries of the whole task.
    #[serde(default)]
    pub epoch: u32,
    /// Name of the task type, such as `research`.
    #[serde(rename = "type")]
    pub task_type: String,
    /// The purpose of the task, if its parameters give one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}
event_payload!(
    BatchItemStarted,
    "batch_item_started",
    |it| match &it.description {
        Some(description) => format!("Task {} started: {description}", it.task_id),
        None => format!("Task {} started ({})", it.task_id, it.task_type),
    }
);

/// A task has its output. At most once per task and epoch, with the completion of its step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BatchItemCompleted {
    /// Id of the task in its batch.
    pub task_id: String,
    /// Number of earlier retries of the whole task.
    #[serde(default)]
    pub epoch: u32,
    /// Its output, an object.
    pub output: Json,
}
event_payload!(BatchItemCompleted, "batch_item_completed", |it| format!(
    "Task {} completed",
    it.task_id
));

/// A task that had begun, or that the budget kept from beginning, has no output. At most once per task and epoch, with
/// the failure of its step. Tasks that never begin for another reason have no event: see the module `flow`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BatchItemFailed {
    /// Id of the task in its batch.
    pub task_id: String,
    /// Number of earlier retries of the whole task.
    #[serde(default)]
    pub epoch: u32,
    /// `failed`, `cancelled`, `expired` or `interrupted`.
    pub state: ItemState,
    /// The reason; for a command that ran and failed, the detail holds its output.
    pub error: Failure,
}
event_payload!(BatchItemFailed, "batch_item_failed", |it| format!(
    "Task {} did not complete: {}",
    it.task_id, it.error.message
));

/// The run of a task waits for a person's answer; its step keeps running. Reported by the process that drives that run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BatchItemAsks {
    /// The question, and the run that asks it.
    #[serde(flatten)]
    pub question: ItemQuestion,
}
event_payload!(BatchItemAsks, "batch_item_asks", |it| format!(
    "Waiting for a person: {} (gemicro answer {} yes, or no)",
    it.question.text, it.question.run_id
));

/// A person answered the run of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BatchItemAnswered {
    /// The run that asked.
    pub run_id: StreamId,
    /// The run's key for the question.
    pub key: String,
}
event_payload!(BatchItemAnswered, "batch_item_answered", |it| format!(
    "A person answered {} of run {}",
    it.key, it.run_id
));

/// A command cancelled some tasks; the others continue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BatchItemsCancelled {
    /// Ids of the tasks that this changes.
    pub task_ids: Vec<String>,
    /// The reason; empty if none was given.
    #[serde(default)]
    pub reason: String,
}
event_payload!(
    BatchItemsCancelled,
    "batch_items_cancelled",
    |it| match it.task_ids.as_slice() {
        [one] => format!("Task {one} cancelled"),
        tasks => format!("{} tasks cancelled", tasks.len()),
    }
);

/// A command reruns some tasks that have no output: each gets a new epoch, and with it a new step. Only while the batch
/// is open; an ended one is retried in a new run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BatchItemsRetried {
    /// Ids of the tasks that this changes.
    pub task_ids: Vec<String>,
}
event_payload!(
    BatchItemsRetried,
    "batch_items_retried",
    |it| match it.task_ids.as_slice() {
        [one] => format!("Task {one} is retried"),
        tasks => format!("{} tasks are retried", tasks.len()),
    }
);

event_readers! {
    /// Readers of the events of batches.
    pub trait BatchReaders {
        BatchItemStarted => as_batch_item_started, try_as_batch_item_started;
        BatchItemCompleted => as_batch_item_completed, try_as_batch_item_completed;
        BatchItemFailed => as_batch_item_failed, try_as_batch_item_failed;
        BatchItemAsks => as_batch_item_asks, try_as_batch_item_asks;
        BatchItemAnswered => as_batch_item_answered, try_as_batch_item_answered;
        BatchItemsCancelled => as_batch_items_cancelled, try_as_batch_items_cancelled;
        BatchItemsRetried => as_batch_items_retried, try_as_batch_items_retried;
    }

    /// Registers the events of batches.
    pub fn register;
}
