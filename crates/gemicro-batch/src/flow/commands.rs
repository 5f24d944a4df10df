//! Commands to single tasks of an open batch. Each gives events or a refusal, without side effects.

use std::collections::BTreeSet;

use gemicro_core::command::AgentCommand;
use gemicro_event::{AgentUpdate, Timestamp};
use serde::Deserialize;

use super::events::{BatchItemsCancelled, BatchItemsRetried};
use super::item::TaskItem;
use super::state::BatchState;
use crate::contract::ItemState;

/// Cancels some tasks: `{"task_ids": […], "reason": …}`.
pub const CANCEL_ITEMS: &str = "cancel_items";
/// Reruns tasks that did not complete: `{"task_ids": […]}`, or all of them.
pub const RETRY_ITEMS: &str = "retry_items";

impl BatchState {
    /// Turns a command into events, or refuses it. The command `cancel` for the whole batch is handled by the driver.
    ///
    /// # Errors
    /// With the reason, for an unknown command or task, or when there is nothing to do.
    pub fn handle_command(&self, command: &AgentCommand, at: Timestamp) -> Result<Vec<AgentUpdate>, String> {
        let request = || {
            command
                .data
                .parse::<ItemsRequest>()
                .map_err(|error| error.to_string())
        };
        match command.command_type.as_str() {
            CANCEL_ITEMS => {
                let ItemsRequest { task_ids, reason } = request()?;
                if task_ids.is_empty() {
                    return Err("no task is named; cancel the batch to stop all".to_owned());
                }
                let task_ids = self.choose_tasks(&task_ids, |item| !item.state.is_final())?;
                let fact = BatchItemsCancelled { task_ids, reason };
                Ok(vec![AgentUpdate::new(&fact, at)])
            }
            RETRY_ITEMS => {
                let ItemsRequest { task_ids, .. } = request()?;
                self.choose_tasks(&task_ids, TaskItem::can_be_retried)?;
                let retried = self.tasks_to_retry(&task_ids).into_iter();
                let task_ids = retried.map(|idx| self.item(idx).task.task_id.clone()).collect();
                Ok(vec![AgentUpdate::new(&BatchItemsRetried { task_ids }, at)])
            }
            other => Err(format!("a batch does not know the command {other}")),
        }
    }

    /// The tasks that a retry reruns, in order: the named ones that did not complete, and those skipped because of
    /// them; or all tasks that did not complete, if none is named.
    pub(super) fn tasks_to_retry(&self, task_ids: &[String]) -> Vec<u32> {
        let can_retry = |idx: &u32| self.item(*idx).can_be_retried();
        if task_ids.is_empty() {
            return self.places().filter(can_retry).collect();
        }
        let named = self.places_of(task_ids).into_iter().filter(can_retry);
        let mut retried: BTreeSet<u32> = named.collect();
        let mut open: Vec<u32> = retried.iter().copied().collect();
        while let Some(idx) = open.pop() {
            for dependent in &self.dependents[idx as usize] {
                let is_skipped = self.item(*dependent).state == ItemState::Skipped;
                if is_skipped && retried.insert(*dependent) {
                    open.push(*dependent);
                }
            }
        }
        retried.into_iter().collect()
    }

    /// The tasks among these, or among all, that are in a suitable state.
    fn choose_tasks(
        &self,
        task_ids: &[String],
        fits: impl Fn(&TaskItem) -> bool,
    ) -> Result<Vec<String>, String> {
        if let Some(unknown) = task_ids.iter().find(|id| !self.by_id.contains_key(*id)) {
            return Err(format!("there is no task `{unknown}` in this batch"));
        }
        let places = match task_ids {
            [] => self.places().collect(),
            named => self.places_of(named),
        };
        let fitting = places
            .into_iter()
            .map(|idx| self.item(idx))
            .filter(|item| fits(item));
        let chosen: Vec<String> = fitting.map(|item| item.task.task_id.clone()).collect();
        match chosen.is_empty() {
            true => Err("none of these tasks is in a state that allows it".to_owned()),
            false => Ok(chosen),
        }
    }
}

/// The tasks that a command applies to.
#[derive(Debug, Default, Deserialize)]
struct ItemsRequest {
    /// Their ids; empty for all tasks in a suitable state.
    #[serde(default)]
    task_ids: Vec<String>,
    #[serde(default)]
    reason: String,
}
