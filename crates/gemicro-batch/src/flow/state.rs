//! The state of a batch. See `conclude` for how it changes.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use gemicro_event::{ErrorKind, Failure, Json, StepKey, Timestamp};

use super::item::{TaskItem, TaskRank};
use super::plan::{BatchPlan, InitialEnd};
use crate::contract::{Counts, Edges, ItemState, OnFailure, Task, edges};
use crate::types::BatchSettings;

/// The state of every task of a batch, folded from its journal.
#[derive(Debug, Clone)]
pub struct BatchState {
    pub(super) items: Vec<TaskItem>,
    pub(super) settings: BatchSettings,
    pub(super) on_failure: OnFailure,
    /// The outputs to keep.
    pub(super) keep: Keep,
    pub(super) edges: Edges,
    /// The tasks that depend on each task.
    pub(super) dependents: Vec<Vec<u32>>,
    pub(super) by_id: HashMap<String, u32>,
    /// The tasks by the keys of their current steps.
    pub(super) by_key: HashMap<StepKey, u32>,
    pub(super) counts: Counts,
    /// Number of tasks that had their final state from the start.
    pub(super) n_given: u64,
    /// Tasks that can start or restart, by step kind.
    pub(super) ready: BTreeMap<&'static str, BTreeSet<TaskRank>>,
    /// Running tasks that must stop.
    pub(super) stopping: BTreeSet<u32>,
    /// Coming deadlines: seconds from the start, and the tasks.
    pub(super) deadlines: BTreeMap<u64, Vec<u32>>,
    /// Number of open tasks, other than running ones, that will get a share of the budget.
    pub(super) n_sharing: u64,
    /// The task whose failure stopped the batch.
    pub(super) stopped_by: Option<u32>,
    pub(super) started_at: Timestamp,
    pub(super) parked_until: Option<Timestamp>,
    /// Tasks whose board line changed, with their outputs.
    pub(super) changed: BTreeMap<u32, Option<Json>>,
}

/// The outputs that a state keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    /// Those that other tasks refer to, which is all that deciding needs.
    Referred,
    /// All of them, to be shown.
    All,
}

impl BatchState {
    /// The state before the first event.
    pub(super) fn new(plan: BatchPlan, keep: Keep) -> Result<Self, Failure> {
        let (tasks, settled): (Vec<Task>, Vec<Option<InitialEnd>>) = plan
            .items
            .into_iter()
            .map(|item| (item.task, item.settled))
            .unzip();
        let edges = edges(&tasks, "").map_err(|error| {
            Failure::new(ErrorKind::StorageError, format!("the plan of a batch: {error}"))
        })?;
        let mut state = Self {
            items: Vec::with_capacity(tasks.len()),
            settings: plan.settings,
            on_failure: plan.on_failure,
            keep,
            dependents: vec![Vec::new(); tasks.len()],
            by_id: HashMap::with_capacity(tasks.len()),
            by_key: HashMap::with_capacity(tasks.len()),
            counts: Counts::default(),
            n_given: 0,
            ready: BTreeMap::new(),
            stopping: BTreeSet::new(),
            deadlines: BTreeMap::new(),
            n_sharing: 0,
            stopped_by: None,
            started_at: Timestamp::default(),
            parked_until: None,
            changed: BTreeMap::new(),
            edges,
        };
        for (idx, task) in (0u32..).zip(tasks) {
            state.add(idx, task, plan.deadline_seconds);
        }
        state.settle_given(settled);
        Ok(state)
    }

    /// Number of tasks in each state.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// The state of a task.
    #[must_use]
    pub fn state_of(&self, task_id: &str) -> Option<ItemState> {
        let idx = self.by_id.get(task_id)?;
        Some(self.items[*idx as usize].state)
    }

    pub(super) fn item(&self, idx: u32) -> &TaskItem {
        &self.items[idx as usize]
    }

    pub(super) fn item_mut(&mut self, idx: u32) -> &mut TaskItem {
        &mut self.items[idx as usize]
    }

    /// The indices of all tasks.
    pub(super) fn places(&self) -> std::ops::Range<u32> {
        // A batch has at most 100,000 tasks.
        0..u32::try_from(self.items.len()).unwrap_or(u32::MAX)
    }

    fn add(&mut self, idx: u32, task: Task, batch_deadline: Option<u64>) {
        let needs = &self.edges.needs[idx as usize];
        for needed in needs {
            self.dependents[*needed as usize].push(idx);
        }
        let deadlines = [task.deadline_seconds, batch_deadline].into_iter().flatten();
        if let Some(seconds) = deadlines.min() {
            self.deadlines.entry(seconds).or_default().push(idx);
        }
        let item = TaskItem {
            state: ItemState::Queued,
            epoch: 0,
            n_missing: needs.len(),
            step: None,
            has_begun: false,
            stopping: None,
            runs: false,
            question: None,
            output: None,
            error: None,
            task,
        };
        self.by_id.insert(item.task.task_id.clone(), idx);
        self.by_key.insert(item.key(), idx);
        self.counts.add(ItemState::Queued);
        self.n_sharing += u64::from(item.shares_budget());
        self.items.push(item);
        self.note_change(idx, None);
    }

    fn settle_given(&mut self, settled: Vec<Option<InitialEnd>>) {
        let (mut rejected, mut left) = (Vec::new(), Vec::new());
        for (idx, settled) in (0u32..).zip(settled) {
            match settled {
                None => {}
                Some(InitialEnd::Completed(output)) => self.complete(idx, output),
                Some(InitialEnd::Rejected(error)) => rejected.push((idx, error)),
                Some(InitialEnd::Left { state, error }) => left.push((idx, state, error)),
            }
        }
        self.leave(left);
        // Last, because a rejected task may stop the batch, and completed tasks must keep their output.
        for (idx, error) in rejected {
            self.reject(idx, error);
        }
        for idx in self.places() {
            self.release_if_free(idx);
        }
        self.n_given = self.counts.total - self.counts.open();
    }
}
