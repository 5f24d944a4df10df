//! Folds events into task states. The cost of an event depends only on what it changes.

use std::str::FromStr;

use gemicro_core::run::events::{
    RunCancelled, RunFailed, RunInterrupted, RunParked, RunStarted, RunWoken, StepLost, StepParked,
    StepRetrying, StepStarted, TimerFired,
};
use gemicro_event::{ErrorKind, Event, Failure, event_enum};

use super::events::{
    BatchItemAnswered, BatchItemAsks, BatchItemCompleted, BatchItemFailed, BatchItemsCancelled,
    BatchItemsRetried,
};
use super::state::BatchState;
use crate::contract::ItemState;

/// Prefix of the keys of deadline timers; the seconds follow.
const DEADLINE: &str = "deadline/";

/// The key of the timer for a deadline.
pub(super) fn deadline_key(seconds: u64) -> String {
    format!("{DEADLINE}{seconds}")
}

event_enum! {
    /// The events that a batch reads from its journal.
    enum BatchEvent {
        noticed: RunStarted, StepStarted, StepRetrying, StepLost, StepParked, RunWoken, RunCancelled;
        read: BatchItemAsks, BatchItemAnswered, BatchItemCompleted, BatchItemFailed, BatchItemsCancelled,
            BatchItemsRetried, TimerFired, RunParked, RunFailed, RunInterrupted;
    }
}

impl BatchState {
    pub(super) fn fold(&mut self, event: &Event) {
        match BatchEvent::of(&event.update) {
            BatchEvent::RunStarted => self.started_at = event.update.timestamp,
            BatchEvent::StepStarted => self.fold_step(event, Self::begin),
            BatchEvent::StepRetrying => {
                self.fold_step(event, |it, idx| it.wait_again(idx, ItemState::Queued))
            }
            BatchEvent::StepLost => self.fold_step(event, Self::lose),
            BatchEvent::StepParked => self.fold_step(event, |it, idx| it.wait_again(idx, ItemState::Parked)),
            BatchEvent::BatchItemAsks(asks) => self.fold_step(event, |it, idx| it.ask(idx, asks.question)),
            BatchEvent::BatchItemAnswered(answered) => {
                self.fold_step(event, |it, idx| it.record_answer(idx, &answered.key));
            }
            BatchEvent::BatchItemCompleted(completed) => self.item_completed(*completed),
            BatchEvent::BatchItemFailed(failed) => self.item_failed(*failed),
            BatchEvent::BatchItemsCancelled(cancelled) => self.items_cancelled(&cancelled),
            BatchEvent::BatchItemsRetried(retried) => {
                let tasks = self.places_of(&retried.task_ids);
                self.retry(&tasks);
            }
            BatchEvent::TimerFired(fired) => {
                let seconds = fired.key.strip_prefix(DEADLINE).map(u64::from_str);
                if let Some(Ok(seconds)) = seconds {
                    self.deadline_passed(seconds);
                }
            }
            BatchEvent::RunParked(parked) => self.parked_until = Some(parked.until),
            BatchEvent::RunWoken => self.parked_until = None,
            BatchEvent::RunFailed(failed) => self.close(ItemState::Failed, &failed.error),
            BatchEvent::RunInterrupted(given_up) => {
                let error = Failure::new(ErrorKind::Interrupted, given_up.reason);
                self.close(ItemState::Failed, &error);
            }
            BatchEvent::RunCancelled => {
                let error = Failure::new(ErrorKind::Cancelled, "the batch was cancelled");
                self.close(ItemState::Cancelled, &error);
            }
            BatchEvent::Unknown => {}
        }
    }

    fn fold_step(&mut self, event: &Event, apply: impl FnOnce(&mut Self, u32)) {
        let place = event.step.as_ref().and_then(|key| self.by_key.get(key));
        if let Some(idx) = place.copied() {
            apply(self, idx);
        }
    }

    fn item_completed(&mut self, it: BatchItemCompleted) {
        if let Some(idx) = self.present(&it.task_id, it.epoch) {
            self.complete(idx, it.output);
        }
    }

    fn item_failed(&mut self, it: BatchItemFailed) {
        if let Some(idx) = self.present(&it.task_id, it.epoch) {
            let state = match it.state {
                // Older journals have no separate state for interrupted tasks.
                ItemState::Failed if it.error.kind == ErrorKind::Interrupted => ItemState::Interrupted,
                state if state.is_final() && state != ItemState::Completed => state,
                _ => ItemState::Failed,
            };
            self.fail(idx, state, it.error);
        }
    }

    fn items_cancelled(&mut self, it: &BatchItemsCancelled) {
        let message = match it.reason.as_str() {
            "" => "cancelled on request".to_owned(),
            reason => format!("cancelled: {reason}"),
        };
        for idx in self.places_of(&it.task_ids) {
            let error = Failure::new(ErrorKind::Cancelled, message.clone());
            self.stop(idx, ItemState::Cancelled, error);
        }
    }

    fn deadline_passed(&mut self, seconds: u64) {
        while let Some(entry) = self.deadlines.first_entry() {
            let at = *entry.key();
            if at > seconds {
                break;
            }
            for idx in entry.remove() {
                let message = format!("its deadline of {at} s passed");
                self.stop(idx, ItemState::Expired, Failure::new(ErrorKind::Timeout, message));
            }
        }
    }

    /// The index of the task, if it is in this epoch.
    fn present(&self, task_id: &str, epoch: u32) -> Option<u32> {
        let idx = self.by_id.get(task_id)?;
        (self.item(*idx).epoch == epoch).then_some(*idx)
    }

    /// The indices of the tasks with these ids, in batch order; unknown ids are ignored.
    pub(super) fn places_of(&self, task_ids: &[String]) -> Vec<u32> {
        let known = task_ids.iter().filter_map(|task_id| self.by_id.get(task_id));
        let mut places: Vec<u32> = known.copied().collect();
        places.sort_unstable();
        places.dedup();
        places
    }
}
