//! One task while its batch is carried out.

use std::cmp::Reverse;

use gemicro_core::flow::{RetryPolicy, Step};
use gemicro_event::{Failure, Json, StepKey};

use crate::contract::{ItemState, Task};

/// A task and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Item {
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
    /// Its output, where it is kept.
    pub(crate) output: Option<Json>,
    /// Why it has none.
    pub(crate) error: Option<Failure>,
}

/// The order in which tasks start: priority, then place in the batch.
pub(crate) type Rank = (Reverse<i32>, u32);

impl Item {
    pub(crate) fn rank(&self, idx: u32) -> Rank {
        (Reverse(self.task.priority), idx)
    }

    /// The key of its step. No task id holds a `#`.
    pub(crate) fn key(&self) -> StepKey {
        match self.epoch {
            0 => StepKey::new(self.task.task_id.as_str()),
            epoch => StepKey::new(format!("{}#{epoch}", self.task.task_id)),
        }
    }

    pub(crate) fn max_attempts(&self) -> u32 {
        let usual = RetryPolicy::default().max_attempts;
        self.task
            .max_retries
            .map_or(usual, |n_retries| n_retries.saturating_add(1))
    }
}
