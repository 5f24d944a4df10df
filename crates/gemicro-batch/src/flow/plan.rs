//! What a batch will do, as data.

use gemicro_core::run::events::RunReaders;
use gemicro_event::{ErrorKind, Event, Failure, Json};
use serde::{Deserialize, Serialize};

use super::batch_flow::read_plan;
use super::board::board;
use crate::contract::{ItemState, OnFailure, Submitted, Task};
use crate::types::{BatchSettings, TASK_TYPES, task_type};

/// Everything that deciding depends on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BatchPlan {
    /// The caller's own name for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// What a failure means for the others.
    #[serde(default)]
    pub on_failure: OnFailure,
    /// Seconds from the start after which nothing of it runs any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_seconds: Option<u64>,
    /// What holds for tasks that say nothing else.
    pub settings: BatchSettings,
    /// The tasks, in the order they came.
    pub items: Vec<PlannedItem>,
}

/// One task of a plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlannedItem {
    /// The task.
    pub task: Task,
    /// Its final state, where that is known before anything starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settled: Option<Settled>,
}

/// A final state that a task has from the beginning.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Settled {
    /// It cannot be carried out as written.
    Rejected(Failure),
    /// An earlier run completed it, with this output.
    Completed(Json),
}

/// Plans a batch: tasks of an unknown type, or with parameters that do not fit their type, are rejected; the others
/// proceed.
#[must_use]
pub fn plan(submitted: Submitted, settings: BatchSettings) -> BatchPlan {
    let tasks = submitted.tasks.into_iter();
    let items = tasks.map(|task| PlannedItem {
        settled: rejection(&task, &settings).map(Settled::Rejected),
        task,
    });
    BatchPlan {
        key: submitted.key,
        on_failure: submitted.on_failure,
        deadline_seconds: submitted.deadline_seconds,
        items: items.collect(),
        settings,
    }
}

/// The plan of a run that does again what an ended batch left without an output, from its journal. What completed
/// there keeps its output.
///
/// # Errors
/// When it is not the journal of a batch, or there is nothing to do again.
pub fn retry_plan(events: &[Event]) -> Result<BatchPlan, Failure> {
    let ended = board(events)?;
    let started = events.first().and_then(|event| event.update.as_run_started());
    let plan = read_plan(&started.map(|started| started.plan).unwrap_or_default())?;
    let counts = ended.counts();
    if counts.failed + counts.cancelled + counts.expired == 0 {
        let message = "no task of this batch can be done again: none failed, was cancelled or expired";
        return Err(Failure::new(ErrorKind::InvalidInput, message));
    }
    let items = plan.items.iter().zip(&ended.items).map(|(planned, item)| {
        let settled = match item.state {
            ItemState::Completed => item.output.clone().map(Settled::Completed),
            _ => planned.settled.clone(),
        };
        PlannedItem {
            task: planned.task.clone(),
            settled,
        }
    });
    Ok(BatchPlan {
        // The key stands for the first run.
        key: None,
        items: items.collect(),
        on_failure: plan.on_failure,
        deadline_seconds: plan.deadline_seconds,
        settings: plan.settings.clone(),
    })
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
    known
        .check(&task.parameters, settings)
        .err()
        .and_then(|error| reject(error.to_string()))
}
