//! The data types of the queue.

use std::time::Duration;

use gemicro_event::{Charge, Event, Failure, Json, StepKey, StreamId, Timestamp};

use crate::store::NewEvent;

/// A step for any worker that can run it.
#[derive(Debug, Clone, PartialEq)]
pub struct QueuedStep {
    /// The run that needs it.
    pub stream: StreamId,
    /// Key of the step that this is about.
    pub step: StepKey,
    /// Number of the next attempt, from 1. The same attempt is queued only once.
    pub attempt: u32,
    /// Maximum number of attempts; a worker that vanishes uses one up.
    pub max_attempts: u32,
    /// Kind of work; workers claim by kind.
    pub kind: String,
    /// The provider whose limits apply; `None` for no limits.
    pub provider: Option<String>,
    /// Steps with a higher number are claimed first.
    pub priority: i64,
    /// Earliest time at which it can be claimed.
    pub not_before: Timestamp,
    /// The charge for an attempt whose worker vanished: its worst case.
    pub charge: Charge,
    /// Input for the worker.
    pub data: Json,
}

/// A worker's request for steps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimRequest {
    /// Name of the worker that claims.
    pub worker: String,
    /// The kinds of steps it can run.
    pub kinds: Vec<String>,
    /// Maximum number of steps.
    pub max_steps: usize,
    /// Maximum time between heartbeats.
    pub ttl: Duration,
}

/// The right to work on one attempt of a step; required for all reports about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepLease {
    /// The run that the step belongs to.
    pub stream: StreamId,
    /// Key of the step that this is about.
    pub step: StepKey,
    /// Number of the attempt, counted from 1.
    pub attempt: u32,
    /// The step's position in the queue.
    pub place: u64,
    /// Identifies the claim; each claim gets a new one.
    pub token: u64,
    /// When it ends without a heartbeat.
    pub expires_at: Timestamp,
}

/// A step that a worker claimed.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimedStep {
    /// The right to work on it.
    pub lease: StepLease,
    /// The kind of the step.
    pub kind: String,
    /// The provider whose limits apply.
    pub provider: Option<String>,
    /// Maximum number of attempts.
    pub max_attempts: u32,
    /// Input for the worker.
    pub data: Json,
}

/// The answer to a heartbeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heartbeat {
    /// The lease is extended; the work continues.
    Alive {
        /// The new end of the lease.
        expires_at: Timestamp,
    },
    /// Stop the work and report [`WorkerNews::Cancelled`]; the lease was extended for that.
    CancelRequested {
        /// The new end of the lease.
        expires_at: Timestamp,
    },
    /// Another worker has the step, or it is no longer needed: stop, and write nothing.
    Lost,
}

/// A worker's report about its attempt.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the field names say what they are")]
pub enum WorkerNews {
    /// It continues; there are only events to write.
    Working,
    /// The step is done.
    Completed,
    /// The attempt failed, and another one may follow. After the last attempt this is [`WorkerNews::Failed`].
    Again {
        /// When the next attempt may start.
        not_before: Timestamp,
        /// Why this one failed.
        reason: Failure,
    },
    /// The step failed permanently.
    Failed { reason: Failure },
    /// It was stopped because it is no longer needed.
    Cancelled,
}

/// A report about an attempt, and the events to write with it; all or nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Settlement {
    /// The right to report.
    pub lease: StepLease,
    /// The new state of the attempt.
    pub news: WorkerNews,
    /// The events of the attempt, to be appended to the run.
    pub events: Vec<NewEvent>,
}

/// The result of a settlement.
#[derive(Debug, Clone, PartialEq)]
pub struct SettlementResult {
    /// The events with their sequence numbers.
    pub events: Vec<Event>,
    /// The new state of the step.
    pub state: QueueState,
}

/// The state of a step in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum QueueState {
    /// It waits for a worker or for its time.
    Queued,
    /// A worker has it.
    Running,
    /// It has a result.
    Completed,
    /// It failed permanently.
    Dead,
    /// It is no longer needed.
    Cancelled,
}

impl QueueState {
    /// All states of a queued step.
    pub const ALL: [Self; 5] = [
        Self::Queued,
        Self::Running,
        Self::Completed,
        Self::Dead,
        Self::Cancelled,
    ];

    /// The name in stores.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Dead => "dead",
            Self::Cancelled => "cancelled",
        }
    }
}

/// Number of steps in each state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QueueCounts {
    /// Ready for a worker.
    pub ready: u64,
    /// Queued for a later time.
    pub delayed: u64,
    /// Claimed by a worker.
    pub running: u64,
    /// Steps that have a result.
    pub completed: u64,
    /// Failed after their last attempt.
    pub dead: u64,
    /// Steps that are no longer needed.
    pub cancelled: u64,
}

/// A step that failed permanently while its run continues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadStep {
    /// The run that the step belongs to.
    pub stream: StreamId,
    /// Key of the step that this is about.
    pub step: StepKey,
    /// Number of the attempt, counted from 1.
    pub attempt: u32,
    /// The failure of the last attempt.
    pub reason: Failure,
    /// When the last attempt failed.
    pub at: Timestamp,
}

/// Limits of a provider for all workers together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderLimit {
    /// The provider, as steps name it.
    pub provider: String,
    /// Maximum number of running steps; `None` for no limit.
    pub max_running: Option<u32>,
    /// Maximum number of steps claimed per 60 seconds; `None` for no limit.
    pub per_minute: Option<u32>,
}
