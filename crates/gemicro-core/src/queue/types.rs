//! What goes into the queue and comes out of it.

use std::time::Duration;

use gemicro_event::{Charge, Event, Failure, Json, StepKey, StreamId, Timestamp};

use crate::store::NewEvent;

/// A step for whoever can do it.
#[derive(Debug, Clone, PartialEq)]
pub struct QueuedStep {
    /// The run that wants it.
    pub stream: StreamId,
    /// Key of the step that this is about.
    pub step: StepKey,
    /// Which attempt comes next, from 1. The same attempt is queued once, however often it is asked for.
    pub attempt: u32,
    /// The last attempt there may be; a worker that vanishes uses one up.
    pub max_attempts: u32,
    /// What sort of work it is; workers name the sorts they do.
    pub kind: String,
    /// Whose limits hold for it; `None` for none.
    pub provider: Option<String>,
    /// Steps with a higher number are claimed first.
    pub priority: i64,
    /// Nobody gets it earlier.
    pub not_before: Timestamp,
    /// What an attempt counts as whose worker vanished: its worst case.
    pub charge: Charge,
    /// What the worker gets.
    pub data: Json,
}

/// A worker's wish for work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimRequest {
    /// Name of the worker that claims.
    pub worker: String,
    /// What it can do.
    pub kinds: Vec<String>,
    /// How many steps it takes at most.
    pub max_steps: usize,
    /// How long it may be silent.
    pub ttl: Duration,
}

/// The right to work on one attempt of a step: the fence of everything said about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepLease {
    /// The run that the step belongs to.
    pub stream: StreamId,
    /// Key of the step that this is about.
    pub step: StepKey,
    /// Number of the attempt, counted from 1.
    pub attempt: u32,
    /// The step's place in the queue.
    pub place: u64,
    /// Differs for every claim.
    pub token: u64,
    /// When it ends unless there is a heartbeat.
    pub expires_at: Timestamp,
}

/// A step that a worker got.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimedStep {
    /// The right to work on it.
    pub lease: StepLease,
    /// What sort of work it is.
    pub kind: String,
    /// Whose limits it counts against.
    pub provider: Option<String>,
    /// The last attempt there may be.
    pub max_attempts: u32,
    /// What is to be done.
    pub data: Json,
}

/// The answer to a heartbeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heartbeat {
    /// The lease is extended; the work continues.
    Alive {
        /// When the lease ends now.
        expires_at: Timestamp,
    },
    /// Stop the work and say so with [`WorkerNews::Cancelled`]; the lease was extended for that.
    CancelRequested {
        /// When the lease ends now.
        expires_at: Timestamp,
    },
    /// Somebody else has the step, or nobody needs it any more: stop, and write nothing.
    Lost,
}

/// What a worker says about its attempt.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "the field names say what they are")]
pub enum WorkerNews {
    /// It goes on; there are only facts to state.
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
    /// The step failed for good.
    Failed { reason: Failure },
    /// It was stopped because nobody needs it any more.
    Cancelled,
}

/// News about an attempt and the facts that go into the journal with them, all or nothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Settlement {
    /// The right to say so.
    pub lease: StepLease,
    /// What became of the attempt.
    pub news: WorkerNews,
    /// The events of the attempt, to be appended to the run.
    pub events: Vec<NewEvent>,
}

/// What a settlement brought.
#[derive(Debug, Clone, PartialEq)]
pub struct SettlementResult {
    /// The facts with their places.
    pub events: Vec<Event>,
    /// How the step stands now.
    pub state: QueueState,
}

/// How a step stands in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum QueueState {
    /// It waits for a worker or for its time.
    Queued,
    /// A worker has it.
    Running,
    /// It has a result.
    Completed,
    /// It failed for good.
    Dead,
    /// Nobody needs it any more.
    Cancelled,
}

impl QueueState {
    /// Every state there is.
    pub const ALL: [Self; 5] = [
        Self::Queued,
        Self::Running,
        Self::Completed,
        Self::Dead,
        Self::Cancelled,
    ];

    /// The word for it in stores.
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

/// How many steps stand how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QueueCounts {
    /// Ready for a worker.
    pub ready: u64,
    /// Queued for a later time.
    pub delayed: u64,
    /// In some worker's hands.
    pub running: u64,
    /// Steps that have a result.
    pub completed: u64,
    /// Failed after their last attempt.
    pub dead: u64,
    /// Steps that are no longer needed.
    pub cancelled: u64,
}

/// A step that failed for good, while its run goes on.
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
    /// When it was given up.
    pub at: Timestamp,
}

/// What all workers together may ask of a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderLimit {
    /// The provider, as steps name it.
    pub provider: String,
    /// Steps in workers' hands at once; `None` for any number.
    pub max_running: Option<u32>,
    /// Steps that may be taken in any 60 seconds; `None` for any number.
    pub per_minute: Option<u32>,
}
