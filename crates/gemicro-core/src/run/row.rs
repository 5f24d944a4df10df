//! The row of a run in lists, updated in the append transaction and rebuildable from events.

use gemicro_event::{Charge, ErrorKind, Event, RunStatus, StreamId, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::events::RunReaders;

/// A run in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunRow {
    /// Id of the run, which is that of its stream.
    pub run: StreamId,
    /// Name of the flow that decides the run.
    pub flow: String,
    /// The request, in one line.
    pub title: String,
    /// The state as of the last event.
    pub status: RunStatus,
    /// Why it failed, if it did.
    pub error_kind: Option<ErrorKind>,
    /// The run that started it.
    pub parent_run: Option<StreamId>,
    /// It is a step of that run, which is charged for it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub part_of_parent: bool,
    /// Number of events in its journal.
    pub n_events: u64,
    /// Money and tokens that were used so far.
    pub spent: Charge,
    /// When the first event was written.
    pub started_at: Timestamp,
    /// Time of its last event.
    pub updated_at: Timestamp,
    /// When the last event was written, if it ended.
    pub ended_at: Option<Timestamp>,
}

impl RunRow {
    /// The row of a stream before its first event.
    #[must_use]
    pub fn new(run: StreamId, parent_run: Option<StreamId>) -> Self {
        Self {
            run,
            flow: String::new(),
            title: String::new(),
            status: RunStatus::Running,
            error_kind: None,
            parent_run,
            part_of_parent: false,
            n_events: 0,
            spent: Charge::ZERO,
            started_at: Timestamp::default(),
            updated_at: Timestamp::default(),
            ended_at: None,
        }
    }

    /// Applies the next event; one that was already folded changes nothing.
    pub fn fold(&mut self, event: &Event) {
        if event.seq <= self.n_events {
            return;
        }
        let update = &event.update;
        if self.n_events == 0 {
            self.started_at = update.timestamp;
        }
        self.n_events = event.seq;
        self.updated_at = self.updated_at.max(update.timestamp);
        if let Some(status) = RunStatus::after(&update.event_type) {
            self.status = status;
            self.ended_at = status.is_terminal().then_some(update.timestamp);
        }
        match update.event_type.as_str() {
            "run_started" => {
                if let Some(started) = update.as_run_started() {
                    self.flow = started.flow;
                    self.title = started.title;
                    self.part_of_parent = started.part_of_parent;
                }
            }
            "run_failed" => self.error_kind = update.as_run_failed().map(|failed| failed.error.kind),
            "step_completed" | "step_retrying" | "step_parked" | "step_failed" | "step_lost" => {
                let charge = update.data.get("charge").cloned().unwrap_or_default();
                let charge = serde_json::from_value(charge).unwrap_or(Charge::ZERO);
                self.spent = self.spent.plus(charge);
            }
            _ => {}
        }
    }
}
