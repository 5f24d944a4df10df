//! Everything that waits for a person, over all runs of a store.
//!
//! Only the journals of parked and suspended runs are read; no other run can wait for a person.

use std::cmp::Reverse;

use gemicro_core::run::RunRow;
use gemicro_event::{Failure, RunStatus, StreamId, Timestamp};
use gemicro_store::{DurableStore, RunFilter};
use schemars::JsonSchema;
use serde::Serialize;

use crate::flows::{flow_named, has_board};
use crate::questions::open_question_of_run;

/// A question that waits for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct InboxEntry {
    /// The run that asks.
    pub run: StreamId,
    /// Its flow, such as `pipeline`.
    pub flow: String,
    /// What the run was asked to do.
    pub title: String,
    /// The batch or other run that this run is a part of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part_of: Option<StreamId>,
    /// The question, in one sentence.
    pub question: String,
    /// The run's key for the question.
    pub key: String,
    /// When the run asked.
    pub since: Timestamp,
    /// The answers that a person can type.
    pub answers: Vec<&'static str>,
    /// The command that gives the first of them.
    pub command: String,
    /// The command to run afterwards: the run is suspended, and an answer alone does not continue it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub then: Option<String>,
}

/// The open questions of all runs, the newest first.
///
/// # Errors
/// When the store fails.
pub async fn inbox(store: &DurableStore) -> Result<Vec<InboxEntry>, Failure> {
    let mut entries = Vec::new();
    for status in [RunStatus::Parked, RunStatus::Suspended] {
        let filter = RunFilter {
            status: Some(status),
            limit: Some(usize::MAX),
            ..RunFilter::default()
        };
        for row in store.runs(&filter).await? {
            // The questions of a batch are those of its tasks, which are runs of this list.
            if has_board(&row) {
                continue;
            }
            if let Some((asked, since)) = open_question_of_run(store, &row.run).await? {
                entries.push(InboxEntry::new(row, asked.text, asked.key, since));
            }
        }
    }
    entries.sort_by_key(|entry| Reverse(entry.since));
    Ok(entries)
}

impl InboxEntry {
    fn new(row: RunRow, question: String, key: String, since: Timestamp) -> Self {
        let choices = flow_named(&row.flow).map_or(["yes", "no"].as_slice(), |flow| flow.choices(&key));
        let part_of = row.parent_run.filter(|_| row.part_of_parent);
        let resumable = part_of.as_ref().unwrap_or(&row.run);
        Self {
            command: format!("gemicro answer {} {}", row.run, choices.first().unwrap_or(&"yes")),
            answers: choices.to_vec(),
            then: (row.status == RunStatus::Suspended).then(|| format!("gemicro resume {resumable}")),
            run: row.run,
            flow: row.flow,
            title: row.title,
            part_of,
            question,
            key,
            since,
        }
    }
}
