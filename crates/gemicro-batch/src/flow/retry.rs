//! The plan of a batch that does again what an earlier one left without an output.

use std::collections::HashSet;

use gemicro_core::flow::read_plan;
use gemicro_core::run::events::RunReaders;
use gemicro_event::{ErrorKind, Event, Failure};

use super::board::board;
use super::plan::{BatchPlan, InitialEnd, PlannedItem};
use crate::contract::ItemState;

/// The plan of a run that does again what an ended batch left without an output, from its journal. What completed
/// there keeps its output; where tasks are named, the others stay as they are.
///
/// # Errors
/// When it is not the journal of a batch, a task is not in it, or there is nothing to do again.
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
        // The key stands for the first run.
        key: None,
        body: None,
        retries: events.first().map(|event| event.stream.clone()),
        items: items.collect(),
        on_failure: plan.on_failure,
        deadline_seconds: plan.deadline_seconds,
        settings: plan.settings.clone(),
    })
}
