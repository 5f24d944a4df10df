//! Plans a batch that reruns the tasks an earlier one left without an output.

use std::collections::HashSet;

use gemicro_core::flow::read_plan;
use gemicro_core::run::events::RunReaders;
use gemicro_event::{ErrorKind, Event, Failure};

use super::board::board;
use super::plan::{BatchPlan, InitialEnd, PlannedItem};
use crate::contract::ItemState;

/// Plans a run that reruns the tasks without an output of an ended batch, from its journal. Completed tasks keep their
/// output. If tasks are named, only these and their skipped dependents are rerun.
///
/// # Errors
/// When it is not the journal of a batch, a task is unknown, or there is nothing to rerun.
pub fn retry_plan(events: &[Event], task_ids: &[String]) -> Result<BatchPlan, Failure> {
    let ended = board(events)?;
    if let Some(unknown) = task_ids.iter().find(|id| ended.state_of(id).is_none()) {
        let message = format!("there is no task `{unknown}` in this batch");
        return Err(Failure::new(ErrorKind::NotFound, message));
    }
    let started = events.first().and_then(|event| event.update.as_run_started());
    let plan: BatchPlan = read_plan(&started.map(|started| started.plan).unwrap_or_default())?;
    let retried: HashSet<u32> = ended.tasks_to_retry(task_ids).into_iter().collect();
    if retried.is_empty() {
        let message = "nothing to retry: no task failed, expired, or was interrupted, skipped or cancelled";
        return Err(Failure::new(ErrorKind::InvalidInput, message));
    }
    let places = plan.items.iter().zip(&ended.items).zip(0u32..);
    let items = places.map(|((planned, item), idx)| {
        let settled = match item.state {
            ItemState::Completed => item.output.clone().map(InitialEnd::Completed),
            state if item.can_be_retried() && !retried.contains(&idx) => Some(InitialEnd::Left {
                state,
                error: item
                    .error
                    .clone()
                    .unwrap_or_else(|| Failure::new(ErrorKind::Internal, "it has no output")),
            }),
            _ => planned.settled.clone(),
        };
        PlannedItem {
            task: planned.task.clone(),
            settled,
        }
    });
    Ok(BatchPlan {
        // The key belongs to the first run.
        key: None,
        body: None,
        retries: events.first().map(|event| event.stream.clone()),
        items: items.collect(),
        on_failure: plan.on_failure,
        deadline_seconds: plan.deadline_seconds,
        settings: plan.settings.clone(),
    })
}
