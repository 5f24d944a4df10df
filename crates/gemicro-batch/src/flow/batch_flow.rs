//! The batch flow: connects the batch state to the driver.

use gemicro_core::command::AgentCommand;
use gemicro_core::flow::{Decision, Flow, Step, StepEnd, read_plan};
use gemicro_core::run::RunState;
use gemicro_core::store::BoardLine;
use gemicro_event::{AgentUpdate, ErrorKind, Event, Failure, Json, Timestamp};

use super::decide::decide;
use super::events::{BatchItemCompleted, BatchItemFailed, BatchItemStarted};
use super::item::TaskItem;
use super::state::{BatchState, Keep};
use crate::contract::ItemState;
use crate::types::task_type;

/// The flow that decides batches.
#[derive(Debug, Clone, Copy, Default)]
pub struct BatchFlow;

impl Flow for BatchFlow {
    type State = BatchState;

    fn name(&self) -> &'static str {
        "batch"
    }

    fn version(&self) -> u32 {
        1
    }

    fn start(&self, plan: &Json) -> Result<BatchState, Failure> {
        BatchState::new(read_plan(plan)?, Keep::Referred)
    }

    fn fold(&self, state: &mut BatchState, event: &Event) {
        state.fold(event);
    }

    fn decide(&self, state: &BatchState, run: &RunState) -> Decision {
        decide(state, run)
    }

    fn announce(&self, state: &BatchState, step: &Step, at: Timestamp) -> Vec<AgentUpdate> {
        let Some(item) = state.item_of(step) else {
            return Vec::new();
        };
        let description = step.input.get("description").and_then(|it| it.as_str());
        let started = BatchItemStarted {
            task_id: item.task.task_id.clone(),
            epoch: item.epoch,
            task_type: item.task.task_type.clone(),
            description: description.map(str::to_owned),
        };
        vec![AgentUpdate::new(&started, at)]
    }

    fn describe(&self, state: &BatchState, step: &Step, end: &StepEnd, at: Timestamp) -> Vec<AgentUpdate> {
        let Some(item) = state.item_of(step) else {
            return Vec::new();
        };
        let (task_id, epoch) = (item.task.task_id.clone(), item.epoch);
        vec![match end {
            StepEnd::Completed(output) => {
                let known = task_type(&item.task.task_type);
                let output =
                    known.map_or_else(|| output.output.clone(), |it| it.output(step, &output.output));
                let completed = BatchItemCompleted {
                    task_id,
                    epoch,
                    output,
                };
                AgentUpdate::new(&completed, at)
            }
            StepEnd::Failed(failure) => {
                let (state, error) = item.end_of(failure);
                let failed = BatchItemFailed {
                    task_id,
                    epoch,
                    state,
                    error,
                };
                AgentUpdate::new(&failed, at)
            }
        }]
    }

    fn board(&self, state: &mut BatchState) -> Vec<BoardLine> {
        state.lines()
    }

    fn handle_command(
        &self,
        state: &BatchState,
        command: &AgentCommand,
        at: Timestamp,
    ) -> Result<Vec<AgentUpdate>, String> {
        state.handle_command(command, at)
    }
}

impl BatchState {
    fn item_of(&self, step: &Step) -> Option<&TaskItem> {
        self.by_key.get(&step.key).map(|idx| self.item(*idx))
    }
}

impl TaskItem {
    /// The final state and error when its step failed like this.
    fn end_of(&self, failure: &Failure) -> (ItemState, Failure) {
        match (&self.stopping, failure.kind) {
            (Some((state, error)), _) => (*state, error.clone()),
            (None, ErrorKind::Cancelled) => (ItemState::Cancelled, failure.clone()),
            (None, ErrorKind::Interrupted) => (ItemState::Interrupted, failure.clone()),
            (None, _) => (ItemState::Failed, failure.clone()),
        }
    }
}
