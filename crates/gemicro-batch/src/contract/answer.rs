//! The answer to every submit and poll.

use gemicro_event::{ErrorKind, Json, StreamId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Items;

/// How a batch stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BatchAnswer {
    /// Names the batch, to poll with.
    pub response_id: String,
    /// `pending` until every task has its final state, then `failed` only if none completed.
    pub status: BatchStatus,
    /// The tasks, in the order they came.
    #[schemars(with = "Vec<ItemAnswer>")]
    pub results: Items,
    /// Seconds until the next look is worth it; 0 when there is nothing to wait for.
    pub next_poll_interval_seconds: u64,
    /// How many tasks are in which state.
    pub counts: Counts,
    /// Whether it is stopped until it is resumed; it is `pending` then, whatever its tasks have become.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paused: bool,
    /// What blocks it now, if anything; it is retried automatically.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

impl BatchAnswer {
    /// The answer that these tasks make.
    #[must_use]
    pub fn new(response_id: String, results: Vec<ItemAnswer>, next_poll_interval_seconds: u64) -> Self {
        let mut counts = Counts::default();
        for result in &results {
            counts.add(result.state);
        }
        Self::with_counts(response_id, results.into(), next_poll_interval_seconds, counts)
    }

    /// The same where the tasks are counted already.
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

    /// The same with only some of its results; the counts stay those of all tasks.
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

/// How one task stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ItemAnswer {
    /// Id of the task in its batch.
    pub task_id: String,
    /// Its state in three words.
    pub status: BatchStatus,
    /// What it gave back. Empty unless it completed, or is a command that ran and failed.
    pub output: Json,
    /// Why it did not complete, where it never will.
    pub error: Option<String>,
    /// The exact state, of which `status` is the short form.
    pub state: ItemState,
    /// The kind of the error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_kind: Option<ErrorKind>,
    /// What it asks a person, where its state is `input_required`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<ItemQuestion>,
}

/// What the run of a task asks a person. Answer with `gemicro answer RUN_ID yes`, or `no`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ItemQuestion {
    /// The run that waits for the answer.
    pub run_id: StreamId,
    /// What that run calls the question.
    pub key: String,
    /// The question, in one sentence.
    pub text: String,
}

/// The three words that every client knows.
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
    /// An attempt is under way.
    Running,
    /// It waits for a provider's limit to end.
    Parked,
    /// It waits for a person.
    InputRequired,
    /// It has its output.
    Completed,
    /// It failed for good.
    Failed,
    /// Cancelled, or not started because the batch stopped.
    Cancelled,
    /// Its deadline passed before it completed.
    Expired,
    /// It cannot be carried out as written.
    Rejected,
    /// Not run: a task that it depends on did not complete.
    Skipped,
    /// It was cut off in the middle and may have changed something, so gemicro does not repeat it by itself.
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

    /// The word of the three that stands for it.
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

    /// The word for it.
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

    /// The state that a word stands for.
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

/// How many tasks are in which state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Counts {
    /// Number of tasks in the batch.
    pub total: u64,
    /// Not begun, or waiting to be tried again.
    pub queued: u64,
    /// Tasks with an attempt under way.
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
    /// Not carried out as written.
    pub rejected: u64,
    /// Not run, because a task that they depend on did not complete.
    #[serde(default)]
    pub skipped: u64,
    /// Cut off in the middle; `gemicro batch retry ID --only interrupted` runs them again.
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

    /// A task changed its state.
    pub fn record_move(&mut self, from: ItemState, to: ItemState) {
        *self.of(from) -= 1;
        *self.of(to) += 1;
    }

    /// Tasks without their final state.
    #[must_use]
    pub fn open(&self) -> u64 {
        self.queued + self.running + self.parked + self.input_required
    }

    /// Whether it continues only after a person has answered.
    #[must_use]
    pub fn waits_for_person(&self) -> bool {
        self.input_required > 0 && self.running == 0 && self.parked == 0
    }

    /// How the whole batch stands.
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
