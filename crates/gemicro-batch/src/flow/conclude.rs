//! Changes the states of tasks, and derives what one task's end means for the others. States change nowhere else.
//!
//! A task gets its final state once; later events about it are ignored until a retry reopens it. Nothing here is
//! recursive, because a chain of tasks may be as long as the batch.

use gemicro_event::{ErrorKind, Failure, Json};
use serde_json::Value;

use super::state::{BatchState, Keep};
use crate::contract::{ItemQuestion, ItemState, OnFailure};
use crate::reference::{ResolvedParameters, may_refer, resolve};
use crate::types::{TaskContext, task_type};

/// The end of a task.
enum TaskEnd {
    Completed(Json),
    Without(ItemState, Failure),
}

impl BatchState {
    /// Completes a task with its output.
    pub(super) fn complete(&mut self, idx: u32, output: Json) {
        self.settle(idx, TaskEnd::Completed(output));
    }

    /// Ends a task without an output.
    pub(super) fn fail(&mut self, idx: u32, state: ItemState, error: Failure) {
        self.settle(idx, TaskEnd::Without(state, error));
    }

    /// Rejects a task that cannot be carried out as written, even if something else ended it before.
    pub(super) fn reject(&mut self, idx: u32, error: Failure) {
        if self.item(idx).state.is_final() {
            self.item_mut(idx).error = Some(error);
            self.change(idx, ItemState::Rejected);
        } else {
            self.fail(idx, ItemState::Rejected, error);
        }
    }

    /// Ends tasks without an output from an earlier run. Only their dependents are affected; the batch does not stop.
    pub(super) fn leave(&mut self, left: Vec<(u32, ItemState, Failure)>) {
        let places: Vec<u32> = left.iter().map(|(idx, ..)| *idx).collect();
        for (idx, state, error) in left {
            self.finish_item(idx, TaskEnd::Without(state, error));
        }
        for idx in places {
            for dependent in self.dependents[idx as usize].clone() {
                self.settle(dependent, self.end_with(idx));
            }
        }
    }

    /// Stops a task: a running one ends with its step, any other at once.
    pub(super) fn stop(&mut self, idx: u32, state: ItemState, error: Failure) {
        let item = self.item_mut(idx);
        if item.state.is_final() {
            return;
        }
        if item.runs {
            item.stopping.get_or_insert((state, error));
            self.stopping.insert(idx);
        } else {
            self.fail(idx, state, error);
        }
    }

    /// Records that the step of a task was started.
    pub(super) fn begin(&mut self, idx: u32) {
        if self.item(idx).state.is_final() {
            return;
        }
        self.take_from_ready(idx);
        let item = self.item_mut(idx);
        item.has_begun = true;
        item.question = None;
        self.change(idx, ItemState::Running);
    }

    /// Records that the run of a task waits for a person.
    pub(super) fn ask(&mut self, idx: u32, question: ItemQuestion) {
        let item = self.item_mut(idx);
        if item.runs {
            item.question = Some(question);
            self.change_to(idx, ItemState::InputRequired, true);
        }
    }

    /// Records that a person answered the question of a task's run.
    pub(super) fn record_answer(&mut self, idx: u32, key: &str) {
        let item = self.item_mut(idx);
        if item.runs && item.question.as_ref().is_some_and(|asked| asked.key == key) {
            item.question = None;
            self.change(idx, ItemState::Running);
        }
    }

    /// Records that an attempt ended and another one will follow.
    pub(super) fn wait_again(&mut self, idx: u32, state: ItemState) {
        let item = self.item_mut(idx);
        if !item.runs {
            return;
        }
        if state != ItemState::InputRequired {
            item.question = None;
        }
        match item.stopping.take() {
            Some((state, error)) => self.fail(idx, state, error),
            None => {
                self.change(idx, state);
                self.put_into_ready(idx);
            }
        }
    }

    /// Records that an attempt was interrupted. An open question of its run stays open.
    pub(super) fn lose(&mut self, idx: u32) {
        let state = match self.item(idx).question {
            Some(_) => ItemState::InputRequired,
            None => ItemState::Queued,
        };
        self.wait_again(idx, state);
    }

    /// Makes a task ready if it waits for nothing, or fails it if it cannot be carried out.
    pub(super) fn release_if_free(&mut self, idx: u32) {
        let item = self.item(idx);
        if item.state != ItemState::Queued || item.n_missing > 0 || item.step.is_some() {
            return;
        }
        if let Err(error) = self.make_ready(idx) {
            self.fail(idx, ItemState::Failed, error);
        }
    }

    /// Ends all open tasks, without regard to dependencies.
    pub(super) fn close(&mut self, state: ItemState, error: &Failure) {
        for idx in self.places() {
            if !self.item(idx).state.is_final() {
                self.finish_item(idx, TaskEnd::Without(state, error.clone()));
            }
        }
    }

    /// Reopens tasks without an output, each in a new epoch. Deadlines that have passed no longer apply.
    pub(super) fn retry(&mut self, tasks: &[u32]) {
        let can_retry = |idx: &u32| self.item(*idx).can_be_retried();
        let opened: Vec<u32> = tasks.iter().copied().filter(can_retry).collect();
        self.stopped_by = None;
        for idx in &opened {
            let old_key = self.item(*idx).key();
            let item = self.item_mut(*idx);
            item.epoch += 1;
            item.has_begun = false;
            item.error = None;
            let key = item.key();
            self.by_key.remove(&old_key);
            self.by_key.insert(key, *idx);
            self.change(*idx, ItemState::Queued);
        }
        for idx in opened {
            let needs = &self.edges.needs[idx as usize];
            let states = || needs.iter().map(|needed| (*needed, self.item(*needed).state));
            let lost = states().find(|(_, state)| state.is_final() && *state != ItemState::Completed);
            let n_missing = states()
                .filter(|(_, state)| *state != ItemState::Completed)
                .count();
            self.item_mut(idx).n_missing = n_missing;
            match lost {
                Some((needed, _)) => self.settle(idx, self.end_with(needed)),
                None => self.release_if_free(idx),
            }
        }
    }

    /// Gives a task its final state, and derives the states of others from it.
    fn settle(&mut self, first: u32, end: TaskEnd) {
        let mut open = vec![(first, end)];
        while let Some((idx, end)) = open.pop() {
            if self.item(idx).state.is_final() {
                continue;
            }
            let (has_output, state) = match &end {
                TaskEnd::Completed(_) => (true, ItemState::Completed),
                TaskEnd::Without(state, _) => (false, *state),
            };
            self.finish_item(idx, end);
            for dependent in self.dependents[idx as usize].clone() {
                if !has_output {
                    open.push((dependent, self.end_with(idx)));
                    continue;
                }
                let item = self.item_mut(dependent);
                item.n_missing = item.n_missing.saturating_sub(1);
                let is_free = item.n_missing == 0 && item.state == ItemState::Queued && item.step.is_none();
                if is_free && let Err(error) = self.make_ready(dependent) {
                    open.push((dependent, TaskEnd::Without(ItemState::Failed, error)));
                }
            }
            if self.on_failure == OnFailure::Stop && stops_batch(state) && self.stopped_by.is_none() {
                self.stopped_by = Some(idx);
                // The dependents of a task that has not begun have not begun either.
                for unbegun in self.places() {
                    if self.item(unbegun).is_unbegun() {
                        self.finish_item(unbegun, self.end_of_stop(idx));
                    }
                }
            }
        }
    }

    /// Resolves a task's references and makes its step.
    fn make_ready(&mut self, idx: u32) -> Result<(), Failure> {
        let item = self.item(idx);
        let invalid = |message: String| Failure::new(ErrorKind::InvalidInput, message);
        let known = task_type(&item.task.task_type)
            .ok_or_else(|| invalid(format!("there is no task type `{}`", item.task.task_type)))?;
        let text = item.task.parameters.text();
        let parameters: Value = serde_json::from_str(text).map_err(|error| invalid(error.to_string()))?;
        let resolved = if may_refer(text) {
            let output_of = |task_id: &str| {
                let idx = self.by_id.get(task_id)?;
                self.item(*idx).output.as_ref()
            };
            resolve(&parameters, known.bound, &output_of)?
        } else {
            ResolvedParameters {
                parameters,
                variables: Vec::new(),
            }
        };
        let making = TaskContext {
            key: item.key(),
            settings: &self.settings,
            max_attempts: item.task.attempts(),
            idempotent: item.task.idempotent,
            variables: resolved.variables,
        };
        let step = known
            .step(&resolved.parameters, making)
            .map_err(|error| invalid(error.to_string()))?;
        self.item_mut(idx).step = Some(step);
        self.put_into_ready(idx);
        Ok(())
    }

    /// Gives one task its final state.
    fn finish_item(&mut self, idx: u32, end: TaskEnd) {
        self.take_from_ready(idx);
        self.stopping.remove(&idx);
        let keeps_all = self.keep == Keep::All;
        let keeps = keeps_all || self.edges.is_referred[idx as usize];
        let item = self.item_mut(idx);
        item.stopping = None;
        item.question = None;
        item.step = None;
        match end {
            TaskEnd::Completed(output) => {
                item.output = keeps.then(|| output.clone());
                self.change(idx, ItemState::Completed);
                self.note_change(idx, Some(output));
            }
            TaskEnd::Without(state, mut error) => {
                // A command that ran and failed has output.
                let output = item.failed_output(&error).cloned();
                if !keeps_all {
                    error.detail = None;
                }
                item.error = Some(error);
                self.change(idx, state);
                if output.is_some() {
                    self.note_change(idx, output);
                }
            }
        }
    }

    fn change(&mut self, idx: u32, to: ItemState) {
        self.change_to(idx, to, to == ItemState::Running);
    }

    fn change_to(&mut self, idx: u32, to: ItemState, runs: bool) {
        let item = self.item_mut(idx);
        let (from, shared) = (item.state, item.shares_budget());
        item.state = to;
        item.runs = runs;
        let shares = item.shares_budget();
        self.counts.record_move(from, to);
        self.n_sharing = self.n_sharing + u64::from(shares) - u64::from(shared);
        self.note_change(idx, None);
    }

    /// Marks the board line of a task as changed.
    pub(super) fn note_change(&mut self, idx: u32, output: Option<Json>) {
        // With `Keep::All`, callers ask for the whole answer instead.
        if self.keep == Keep::Referred {
            self.changed.insert(idx, output);
        }
    }

    fn put_into_ready(&mut self, idx: u32) {
        let item = self.item(idx);
        let rank = item.rank(idx);
        if let Some(kind) = item.step_kind() {
            self.ready.entry(kind).or_default().insert(rank);
        }
    }

    fn take_from_ready(&mut self, idx: u32) {
        let item = self.item(idx);
        let rank = item.rank(idx);
        if let Some(ready) = item.step_kind().and_then(|kind| self.ready.get_mut(kind)) {
            ready.remove(&rank);
        }
    }

    /// The end of a task whose dependency has no output.
    fn end_with(&self, needed: u32) -> TaskEnd {
        let needed = self.item(needed);
        let kind = needed
            .error
            .as_ref()
            .map_or(ErrorKind::Internal, |error| error.kind);
        let what = match needed.state {
            ItemState::Cancelled => "was cancelled",
            ItemState::Expired => "passed its deadline",
            ItemState::Rejected => "was rejected",
            ItemState::Skipped => "was not run either",
            ItemState::Interrupted => "was interrupted",
            ItemState::Failed
            | ItemState::Queued
            | ItemState::Running
            | ItemState::Parked
            | ItemState::InputRequired
            | ItemState::Completed => "failed",
        };
        let task_id = &needed.task.task_id;
        let message = format!("not run: task `{task_id}`, which it depends on, {what}");
        // Cancelling a task cancels its dependents; after any other failure they are skipped.
        let state = match needed.state {
            ItemState::Cancelled => ItemState::Cancelled,
            _ => ItemState::Skipped,
        };
        TaskEnd::Without(state, Failure::new(kind, message))
    }

    fn end_of_stop(&self, stopped_by: u32) -> TaskEnd {
        TaskEnd::Without(ItemState::Cancelled, self.stop_reason(stopped_by))
    }

    fn stop_reason(&self, stopped_by: u32) -> Failure {
        let task_id = &self.item(stopped_by).task.task_id;
        let message = format!("not started: task `{task_id}` failed, and this batch stops at a failure");
        Failure::new(ErrorKind::Cancelled, message)
    }
}

/// Whether a task in this state stops a batch that stops at failures. Cancelled tasks do not count; for skipped ones
/// the failed dependency does.
fn stops_batch(state: ItemState) -> bool {
    match state {
        ItemState::Failed | ItemState::Expired | ItemState::Rejected | ItemState::Interrupted => true,
        ItemState::Queued
        | ItemState::Running
        | ItemState::Parked
        | ItemState::InputRequired
        | ItemState::Completed
        | ItemState::Cancelled
        | ItemState::Skipped => false,
    }
}
