//! The plan of a batch.

use std::borrow::Cow;

use gemicro_core::models::check_model_name;
use gemicro_event::redact::Redactor;
use gemicro_event::{ErrorKind, Failure, Json, StreamId};
use serde::{Deserialize, Serialize};

use crate::contract::{ItemState, OnFailure, SubmittedBatch, Task};
use crate::types::{BatchSettings, SHELL_STEP, TASK_TYPES, task_type};

/// Everything that decisions depend on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BatchPlan {
    /// The caller's own name for the batch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// A fingerprint of the batch submitted with that key: a key stands for one batch only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The batch whose tasks without an output this one reruns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retries: Option<StreamId>,
    /// Whether other tasks start after one has failed.
    #[serde(default)]
    pub on_failure: OnFailure,
    /// Seconds from the start after which all open tasks expire.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_seconds: Option<u64>,
    /// Defaults for the tasks.
    pub settings: BatchSettings,
    /// The tasks, in submission order.
    pub items: Vec<PlannedItem>,
}

impl BatchPlan {
    /// Rejects tasks that contain secrets. Secrets are never written down, and only what is in the journal is
    /// executed, so such a task could not run as submitted.
    ///
    /// # Errors
    /// When a task id or model name looks like a secret: redacted names could not be distinguished.
    pub fn without_secrets(mut self, redactor: &Redactor) -> Result<Self, Failure> {
        let holds_secret = |text: &str| matches!(redactor.redact(text), Cow::Owned(_));
        for (idx, item) in self.items.iter_mut().enumerate() {
            let task = &item.task;
            let mut names = task.depends_on.iter().chain([&task.task_id]);
            if names.any(|name| holds_secret(name)) {
                let message = format!(
                    "/{idx}/task_id: looks like a key or token, and secrets are never stored; choose another task id"
                );
                return Err(Failure::new(ErrorKind::InvalidInput, message));
            }
            let model = task
                .parameters
                .get("model")
                .and_then(|model| model.as_str().map(str::to_owned));
            if let Some(model) = model {
                let invalid = |why: &str| {
                    Failure::new(ErrorKind::InvalidInput, format!("/{idx}/parameters/model: {why}"))
                };
                check_model_name(&model).map_err(|failure| invalid(&failure.message))?;
                if holds_secret(&model) {
                    return Err(invalid(
                        "looks like a key or token, and secrets are never stored; give a model name",
                    ));
                }
            }
            let is_executed = task_type(&task.task_type).is_some_and(|known| known.bound.is_some());
            if is_executed && holds_secret(task.parameters.text()) {
                let message = "it holds a key, a token or what looks like one; secrets are never written down, so it \
                               could not be run as written";
                item.settled = Some(InitialEnd::Rejected(Failure::new(
                    ErrorKind::InvalidInput,
                    message,
                )));
            }
        }
        Ok(self)
    }

    /// The title in lists.
    #[must_use]
    pub fn title(&self) -> String {
        let mut types: Vec<&str> = Vec::new();
        for item in &self.items {
            let known = task_type(&item.task.task_type).map_or("unknown", |it| it.name);
            if !types.contains(&known) {
                types.push(known);
            }
        }
        let n_tasks = match self.items.len() {
            1 => "1 task".to_owned(),
            n_tasks => format!("{n_tasks} tasks"),
        };
        match &self.key {
            Some(key) => format!("{key}: {n_tasks} ({})", types.join(", ")),
            None => format!("{n_tasks} ({})", types.join(", ")),
        }
    }
}

/// One task of a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlannedItem {
    /// The task as it was submitted.
    pub task: Task,
    /// Its final state, if that is known before anything starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled: Option<InitialEnd>,
}

/// A final state that a task has from the start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InitialEnd {
    /// It cannot be carried out as written.
    Rejected(Failure),
    /// An earlier run completed it, with this output.
    Completed(Json),
    /// It has no output from an earlier run, and is not rerun.
    Left {
        /// `failed`, `cancelled`, `expired`, `skipped` or `interrupted`.
        state: ItemState,
        /// Why it has no output.
        error: Failure,
    },
}

/// Plans a batch: tasks of an unknown type, or with parameters that do not fit their type, are rejected; the others
/// proceed.
#[must_use]
pub fn plan(submitted: SubmittedBatch, settings: BatchSettings) -> BatchPlan {
    let tasks = submitted.tasks.into_iter();
    let items = tasks.map(|task| PlannedItem {
        settled: rejection(&task, &settings).map(InitialEnd::Rejected),
        task,
    });
    BatchPlan {
        key: submitted.key,
        body: None,
        retries: None,
        on_failure: submitted.on_failure,
        deadline_seconds: submitted.deadline_seconds,
        items: items.collect(),
        settings,
    }
}

fn rejection(task: &Task, settings: &BatchSettings) -> Option<Failure> {
    let reject = |message: String| Some(Failure::new(ErrorKind::InvalidInput, message));
    let Some(known) = task_type(&task.task_type) else {
        let names: Vec<&str> = TASK_TYPES.iter().map(|it| it.name).collect();
        let given: String = task.task_type.chars().take(80).collect();
        return reject(format!(
            "there is no task type `{given}`; there are {}",
            names.join(", ")
        ));
    };
    if task.idempotent && known.step_kind != SHELL_STEP {
        return reject(
            "/idempotent: only tasks of type execute_shell_command have it; leave it out".to_owned(),
        );
    }
    known
        .check(&task.parameters, settings)
        .err()
        .and_then(|error| reject(error.to_string()))
}
