//! The queue of steps that workers in any process take, and give back done.
//!
//! [`StepQueue`] is the port; `gemicro-store` keeps it beside the journal. A queue row is an index: the lease of an
//! attempt and the facts about it are always one transaction, so no result lives in the queue alone.

mod port;
mod types;

pub use port::StepQueue;
pub use types::{
    ClaimRequest, ClaimedStep, DeadStep, Heartbeat, ProviderLimit, QueueCounts, QueueState, QueuedStep,
    Settlement, SettlementResult, StepLease, WorkerNews,
};
