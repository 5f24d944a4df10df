//! The answer to every submit and poll.

use gemicro_event::{ErrorKind, Json, StreamId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Items;

/// The state of a batch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BatchAnswer {
    /// Names the batch, to poll with.
    pub response_id: String,
    /// `pending` until every task has its final state, then `failed` only if none completed.
    pub status: BatchStatus,
    /// The tasks, in submission order.
    #[schemars(with = "Vec<ItemAnswer>")]
    pub results: Items,
    /// Seconds to wait before the next poll; 0 when nothing is left to wait for.
    pub next_poll_interval_seconds: u64,
    /// Number of tasks in each state.
    pub counts: Counts,
    /// Whether the batch is paused. A paused batch is `pending` until it is resumed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paused: bool,
    /// The problem that blocks it now, if any; gemicro retries automatically.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

impl BatchAnswer {
    /// Makes the answer from the tasks and counts them.
    #[must_use]
    pub fn new(response_id: String, results: Vec<ItemAnswer>, next_poll_interval_seconds: u64) -> Self {
        let mut counts = Counts::default();
        for result in &results {
            counts.add(result.state);
        }
        Self::with_counts(response_id, results.into(), next_poll_interval_seconds, counts)
    }

    /// Like [`BatchAnswer::new`], for tasks that are already counted.
    #[must_use]
    pub fn with_counts(
        response_id: String,
        results: Items,
        next_poll_interval_seconds: u64,
        counts: Counts,
    ) -> Self {
        Self {
            response_id,
            status: counts.status(),
            results,
            next_poll_interval_seconds,
            counts,
            paused: false,
            trouble: None,
        }
    }

    /// Keeps only some of the results; the counts still cover all tasks.
    #[must_use]
    pub fn page(self, offset: u64, limit: u64) -> Self {
        let count = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        let results: Vec<ItemAnswer> = self
            .results
            .into_iter()
            .skip(count(offset))
            .take(count(limit))
            .collect();
        Self {
            results: results.into(),
            ..self
        }
    }
}

/// The state of one task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ItemAnswer {
    /// Id of the task in its batch.
    pub task_id: String,
    /// The coarse state: pending, completed or failed.
    pub status: BatchStatus,
    /// The output. Empty unless the task completed, or is a command that ran and failed.
    pub output: Json,
    /// Why the task will not complete; `None` for open and completed tasks.
    pub error: Option<String>,
    /// The exact state; `status` is the coarse one.
    pub state: ItemState,
    /// The kind of the error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_kind: Option<ErrorKind>,
    /// The question for a person, if the state is `input_required`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<ItemQuestion>,
}

/// A question that the run of a task asks a person. Answer with `gemicro answer RUN_ID yes`, or `no`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ItemQuestion {
    /// The run that waits for the answer.
    pub run_id: StreamId,
    /// The run's key for the question.
    pub key: String,
    /// The question, in one sentence.
    pub text: String,
}

/// The coarse state that every client understands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BatchStatus {
    /// The task is queued, running, parked or waiting for a person.
    Pending,
    /// The task ended with an output.
    Completed,
    /// The task ended without an output.
    Failed,
}

/// The state of a task. The first four are not final.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ItemState {
    /// It has not begun, or waits to be tried again.
    Queued,
    /// An attempt is running.
    Running,
    /// It waits for a provider's limit to end.
    Parked,
    /// It waits for a person.
    InputRequired,
    /// It has its output.
    Completed,
    /// It failed permanently.
    Failed,
    /// Cancelled, or not started because the batch stopped.
    Cancelled,
    /// Its deadline passed before it completed.
    Expired,
    /// It cannot be carried out as written.
    Rejected,
    /// Not run: a task that it depends on did not complete.
    Skipped,
    /// It was interrupted and may have changed something, so gemicro does not repeat it automatically.
    Interrupted,
}

impl ItemState {
    /// Every state, in documentation order.
    pub const ALL: [Self; 11] = [
        Self::Queued,
        Self::Running,
        Self::Parked,
        Self::InputRequired,
        Self::Completed,
        Self::Failed,
        Self::Cancelled,
        Self::Expired,
        Self::Rejected,
        Self::Skipped,
        Self::Interrupted,
    ];

    /// The coarse state that this state belongs to.
    #[must_use]
    pub fn status(self) -> BatchStatus {
        match self {
            Self::Queued | Self::Running | Self::Parked | Self::InputRequired => BatchStatus::Pending,
            Self::Completed => BatchStatus::Completed,
            Self::Failed
            | Self::Cancelled
            | Self::Expired
            | Self::Rejected
            | Self::Skipped
            | Self::Interrupted => BatchStatus::Failed,
        }
    }

    /// Its name in JSON and in the store.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Parked => "parked",
            Self::InputRequired => "input_required",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Expired => "expired",
            Self::Rejected => "rejected",
            Self::Skipped => "skipped",
            Self::Interrupted => "interrupted",
        }
    }

    /// Parses a state from its name.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == word)
    }

    /// Whether the state never changes again.
    #[must_use]
    pub fn is_final(self) -> bool {
        self.status() != BatchStatus::Pending
    }
}

/// Number of tasks in each state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// Number of tasks in the batch.
    pub total: u64,
    /// Not begun, or waiting to be tried again.
    pub queued: u64,
    /// Tasks with a running attempt.
    pub running: u64,
    /// Waiting for a provider's limit to end.
    pub parked: u64,
    /// Waiting for a person.
    pub input_required: u64,
    /// Ended with an output.
    pub completed: u64,
    /// Failed after their last attempt.
    pub failed: u64,
    /// Stopped on request, or because the batch stopped.
    pub cancelled: u64,
    /// Not completed before their deadline.
    pub expired: u64,
    /// Impossible to carry out as written.
    pub rejected: u64,
    /// Not run, because a task that they depend on did not complete.
    #[serde(default)]
    pub skipped: u64,
    /// Interrupted; `gemicro batch retry ID --only interrupted` runs them again.
    #[serde(default)]
    pub interrupted: u64,
}

impl Counts {
    /// Counts a new task.
    pub fn add(&mut self, state: ItemState) {
        self.add_many(state, 1);
    }

    /// Counts new tasks that are in the same state.
    pub fn add_many(&mut self, state: ItemState, n_tasks: u64) {
        self.total += n_tasks;
        *self.of(state) += n_tasks;
    }

    /// Records that a task changed its state.
    pub fn record_move(&mut self, from: ItemState, to: ItemState) {
        *self.of(from) -= 1;
        *self.of(to) += 1;
    }

    /// Number of tasks without a final state.
    #[must_use]
    pub fn open(&self) -> u64 {
        self.queued + self.running + self.parked + self.input_required
    }

    /// Whether the batch can only continue after a person has answered.
    #[must_use]
    pub fn waits_for_person(&self) -> bool {
        self.input_required > 0 && self.running == 0 && self.parked == 0
    }

    /// The coarse state of the whole batch.
    #[must_use]
    pub fn status(&self) -> BatchStatus {
        match (self.open(), self.completed) {
            (0, 0) => BatchStatus::Failed,
            (0, _) => BatchStatus::Completed,
            (_, _) => BatchStatus::Pending,
        }
    }

    fn of(&mut self, state: ItemState) -> &mut u64 {
        match state {
            ItemState::Queued => &mut self.queued,
            ItemState::Running => &mut self.running,
            ItemState::Parked => &mut self.parked,
            ItemState::InputRequired => &mut self.input_required,
            ItemState::Completed => &mut self.completed,
            ItemState::Failed => &mut self.failed,
            ItemState::Cancelled => &mut self.cancelled,
            ItemState::Expired => &mut self.expired,
            ItemState::Rejected => &mut self.rejected,
            ItemState::Skipped => &mut self.skipped,
            ItemState::Interrupted => &mut self.interrupted,
        }
    }
}
