//! The queue of steps for workers in any process.
//!
//! [`StepQueue`] is the port; `gemicro-store` keeps it beside the journal. A queue row is only an index: the lease of
//! an attempt and the events about it are always written in one transaction, so no result exists only in the queue.

mod port;
mod types;

pub use port::StepQueue;
pub use types::{
    ClaimRequest, ClaimedStep, DeadStep, Heartbeat, ProviderLimit, QueueCounts, QueueState, QueuedStep,
    Settlement, SettlementResult, StepLease, WorkerNews,
};
