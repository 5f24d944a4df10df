//! One task while its batch is carried out.

use std::cmp::Reverse;

use gemicro_core::flow::Step;
use gemicro_event::{Failure, Json, StepKey};

use crate::contract::{ItemQuestion, ItemState, Task};
use crate::types::{SHELL_STEP, output_of_failure, task_type};

/// A task and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct TaskItem {
    pub(crate) task: Task,
    pub(crate) state: ItemState,
    /// How often it was retried as a whole; part of its step's key.
    pub(crate) epoch: u32,
    /// Tasks it waits for that have no output yet.
    pub(crate) n_missing: usize,
    /// Its step, while it is ready or runs.
    pub(crate) step: Option<Step>,
    /// Whether its step was started in this epoch.
    pub(crate) has_begun: bool,
    /// How it ends when its running step does, unless that completes.
    pub(crate) stopping: Option<(ItemState, Failure)>,
    /// Whether its step runs now; one that waits for a person may have been cut off.
    pub(crate) runs: bool,
    /// What its run asks a person, while it waits for that.
    pub(crate) question: Option<ItemQuestion>,
    /// Its output, where it is kept.
    pub(crate) output: Option<Json>,
    /// Why it did not complete.
    pub(crate) error: Option<Failure>,
}

/// The order in which tasks start: priority, then place in the batch.
pub(crate) type TaskRank = (Reverse<i32>, u32);

impl TaskItem {
    pub(crate) fn rank(&self, idx: u32) -> TaskRank {
        (Reverse(self.task.priority), idx)
    }

    /// The key of its step. No task id holds a `#`.
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

    /// Whether it will get a part of the budget that is left.
    pub(crate) fn shares_budget(&self) -> bool {
        let is_waiting = !self.state.is_final() && !self.runs;
        is_waiting && task_type(&self.task.task_type).is_some_and(|known| known.granted.is_some())
    }

    /// What it printed, where it is a command that ran and failed like this.
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
