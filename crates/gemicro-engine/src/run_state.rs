//! Runs in lists: their status, or the question that a person has to answer.

use std::cmp::Reverse;

use gemicro_batch::contract::{Counts, ItemQuestion};
use gemicro_core::run::RunRow;
use gemicro_event::{Failure, RunStatus};
use gemicro_store::{DurableStore, RunFilter};
use schemars::JsonSchema;
use serde::Serialize;

use crate::board::counts_of_board;
use crate::flows::has_board;
use crate::questions::open_questions;

/// The state of a run that waits for a person.
pub const INPUT_REQUIRED: &str = "input_required";

/// A run with its open question.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "RunRow")]
pub struct RunSnapshot {
    /// The list entry of the run.
    #[serde(flatten)]
    pub row: RunRow,
    /// Its status, or `input_required` if it can only continue after a person has answered.
    pub state: &'static str,
    /// Its open question, or that of the first asking task of a batch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<ItemQuestion>,
    /// Number of tasks of a batch in each state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<Counts>,
}

impl RunSnapshot {
    /// Adds the open question to a list entry.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn of(store: &DurableStore, row: RunRow) -> Result<Self, Failure> {
        let counts = match has_board(&row) {
            true => counts_of_board(&store.board_tallies(&row.run).await?),
            false => None,
        };
        let waits = match row.status {
            RunStatus::Running | RunStatus::Suspended if has_board(&row) => {
                counts.is_some_and(|counts| counts.waits_for_person())
            }
            RunStatus::Parked | RunStatus::Suspended => true,
            RunStatus::Running
            | RunStatus::Completed
            | RunStatus::Failed
            | RunStatus::Cancelled
            | RunStatus::Interrupted => false,
        };
        let question = match waits || row.status == RunStatus::Suspended {
            true => open_questions(store, &row).await?.into_iter().next(),
            false => None,
        };
        let state = match question {
            Some(_) if waits => INPUT_REQUIRED,
            _ => row.status.as_str(),
        };
        Ok(Self {
            row,
            state,
            question,
            counts,
        })
    }

    /// Runs, the newest first.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn list(store: &DurableStore, filter: &RunFilter) -> Result<Vec<Self>, Failure> {
        let mut listed = Vec::new();
        for row in store.runs(filter).await? {
            listed.push(Self::of(store, row).await?);
        }
        Ok(listed)
    }

    /// The runs that wait for a person; the filter's status is ignored.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn list_waiting(store: &DurableStore, filter: &RunFilter) -> Result<Vec<Self>, Failure> {
        // The store cannot filter by this, so all candidates are read.
        let mut waiting = Vec::new();
        for status in [RunStatus::Parked, RunStatus::Running, RunStatus::Suspended] {
            let all = RunFilter {
                status: Some(status),
                limit: Some(usize::MAX),
                ..filter.clone()
            };
            waiting.extend(Self::list(store, &all).await?);
        }
        waiting.retain(|run| run.state == INPUT_REQUIRED);
        waiting.sort_by_key(|run| Reverse(run.row.started_at));
        waiting.truncate(filter.limit.unwrap_or(usize::MAX));
        Ok(waiting)
    }
}
