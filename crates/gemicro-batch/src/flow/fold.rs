//! From events to states of tasks. One event costs what it changes.

use std::str::FromStr;

use gemicro_core::run::events::RunReaders;
use gemicro_event::{AgentUpdate, ErrorKind, Event, Failure};

use super::events::{BatchItemCompleted, BatchItemFailed, BatchItemsCancelled, BatchReaders};
use super::state::BatchState;
use crate::contract::ItemState;

/// What the keys of timers begin with; the seconds follow.
const DEADLINE: &str = "deadline/";

/// The key of the timer for a deadline.
pub(super) fn deadline_key(seconds: u64) -> String {
    format!("{DEADLINE}{seconds}")
}

impl BatchState {
    /// Takes one event into account.
    pub(super) fn fold(&mut self, event: &Event) {
        let update = &event.update;
        match update.event_type.as_str() {
            "run_started" => self.started_at = update.timestamp,
            "step_started" => self.fold_step(event, Self::begin),
            "step_retrying" => self.fold_step(event, |it, idx| it.wait_again(idx, ItemState::Queued)),
            "step_lost" => self.fold_step(event, Self::lose),
            "step_parked" => self.fold_step(event, |it, idx| it.wait_again(idx, ItemState::Parked)),
            "batch_item_asks" => {
                if let Some(asks) = update.as_batch_item_asks() {
                    self.fold_step(event, |it, idx| it.ask(idx, asks.question));
                }
            }
            "batch_item_answered" => {
                if let Some(answered) = update.as_batch_item_answered() {
                    self.fold_step(event, |it, idx| it.answered(idx, &answered.key));
                }
            }
            "batch_item_completed" => self.fold_read(update.as_batch_item_completed(), Self::item_completed),
            "batch_item_failed" => self.fold_read(update.as_batch_item_failed(), Self::item_failed),
            "batch_items_cancelled" => {
                self.fold_read(update.as_batch_items_cancelled(), Self::items_cancelled);
            }
            "batch_items_retried" => self.fold_read(update.as_batch_items_retried(), |it, retried| {
                let tasks = it.places_of(&retried.task_ids);
                it.retry(&tasks);
            }),
            "timer_fired" => self.fold_read(update.as_timer_fired(), |it, fired| {
                let seconds = fired.key.strip_prefix(DEADLINE).map(u64::from_str);
                if let Some(Ok(seconds)) = seconds {
                    it.deadline_passed(seconds);
                }
            }),
            "run_parked" => self.fold_read(update.as_run_parked(), |it, parked| {
                it.parked_until = Some(parked.until);
            }),
            "run_woken" => self.parked_until = None,
            "run_cancelled" | "run_failed" | "run_interrupted" => self.run_ended(update),
            _ => {}
        }
    }

    fn fold_step(&mut self, event: &Event, apply: impl FnOnce(&mut Self, u32)) {
        let place = event.step.as_ref().and_then(|key| self.by_key.get(key));
        if let Some(idx) = place.copied() {
            apply(self, idx);
        }
    }

    fn fold_read<P>(&mut self, payload: Option<P>, apply: impl FnOnce(&mut Self, P)) {
        if let Some(payload) = payload {
            apply(self, payload);
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
                // Journals of older versions have no state of its own for this.
                ItemState::Failed if it.error.kind == ErrorKind::Interrupted => ItemState::Interrupted,
                state if state.is_final() && state != ItemState::Completed => state,
                _ => ItemState::Failed,
            };
            self.fail(idx, state, it.error);
        }
    }

    fn items_cancelled(&mut self, it: BatchItemsCancelled) {
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

    fn run_ended(&mut self, update: &AgentUpdate) {
        if let Some(failed) = update.as_run_failed() {
            self.close(ItemState::Failed, &failed.error);
        } else if let Some(given_up) = update.as_run_interrupted() {
            let error = Failure::new(ErrorKind::Interrupted, given_up.reason);
            self.close(ItemState::Failed, &error);
        } else {
            let error = Failure::new(ErrorKind::Cancelled, "the batch was cancelled");
            self.close(ItemState::Cancelled, &error);
        }
    }

    /// The task, if it is in this epoch.
    fn present(&self, task_id: &str, epoch: u32) -> Option<u32> {
        let idx = self.by_id.get(task_id)?;
        (self.item(*idx).epoch == epoch).then_some(*idx)
    }

    /// The tasks with these ids, in the order of the batch; unknown ones are passed over.
    pub(super) fn places_of(&self, task_ids: &[String]) -> Vec<u32> {
        let known = task_ids.iter().filter_map(|task_id| self.by_id.get(task_id));
        let mut places: Vec<u32> = known.copied().collect();
        places.sort_unstable();
        places.dedup();
        places
    }
}
