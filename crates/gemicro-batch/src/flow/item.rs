//! One task while its batch is carried out.

use std::cmp::Reverse;

use gemicro_core::flow::Step;
use gemicro_event::{Failure, Json, StepKey};

use crate::contract::{ItemQuestion, ItemState, Task};
use crate::types::{SHELL_STEP, output_of_failure, task_type};

/// A task and its state.
#[derive(Debug, Clone)]
pub(crate) struct TaskItem {
    pub(crate) task: Task,
    pub(crate) state: ItemState,
    /// Number of retries of the whole task; part of its step's key.
    pub(crate) epoch: u32,
    /// Number of dependencies that have no output yet.
    pub(crate) n_missing: usize,
    /// Its step, while it is ready or running.
    pub(crate) step: Option<Step>,
    /// Whether its step was started in this epoch.
    pub(crate) has_begun: bool,
    /// The final state if its running step does not complete.
    pub(crate) stopping: Option<(ItemState, Failure)>,
    /// Whether its step is running. False for an interrupted task that still waits for a person.
    pub(crate) runs: bool,
    /// The question of its run that waits for a person.
    pub(crate) question: Option<ItemQuestion>,
    /// Its output, if it is kept.
    pub(crate) output: Option<Json>,
    /// Why it did not complete.
    pub(crate) error: Option<Failure>,
}

/// The order in which tasks start: priority, then index in the batch.
pub(crate) type TaskRank = (Reverse<i32>, u32);

impl TaskItem {
    pub(crate) fn rank(&self, idx: u32) -> TaskRank {
        (Reverse(self.task.priority), idx)
    }

    /// The key of its step. Task ids cannot contain `#`.
    pub(crate) fn key(&self) -> StepKey {
        match self.epoch {
            0 => StepKey::new(self.task.task_id.as_str()),
            epoch => StepKey::new(format!("{}#{epoch}", self.task.task_id)),
        }
    }

    pub(crate) fn can_be_retried(&self) -> bool {
        matches!(
            self.state,
            ItemState::Failed
                | ItemState::Cancelled
                | ItemState::Expired
                | ItemState::Skipped
                | ItemState::Interrupted
        )
    }

    /// Whether it will get a share of the remaining budget.
    pub(crate) fn shares_budget(&self) -> bool {
        let is_waiting = !self.state.is_final() && !self.runs;
        is_waiting && task_type(&self.task.task_type).is_some_and(|known| known.granted.is_some())
    }

    /// The output of a shell command that ran and failed like this.
    pub(crate) fn failed_output<'f>(&self, failure: &'f Failure) -> Option<&'f Json> {
        let is_shell = self.step_kind() == Some(SHELL_STEP);
        is_shell.then(|| output_of_failure(failure)).flatten()
    }

    pub(crate) fn is_unbegun(&self) -> bool {
        !self.state.is_final() && !self.has_begun
    }

    pub(crate) fn step_kind(&self) -> Option<&'static str> {
        task_type(&self.task.task_type).map(|known| known.step_kind)
    }
}
