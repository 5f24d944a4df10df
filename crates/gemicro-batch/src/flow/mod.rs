//! Carries out a batch: plan, fold, decide, show.
//!
//! [`plan`] turns a submitted batch into a [`BatchPlan`] and rejects tasks that cannot be carried out.
//! [`BatchFlow`] decides. Its [`BatchState`] is folded from the journal: the state of each task, the ready tasks, and
//! the counts. Consequences that need no step (a task that fails with its dependency, or whose deadline passed) are not
//! events: the fold derives them.

mod batch_flow;
mod board;
mod commands;
mod conclude;
mod decide;
mod definition;
mod events;
mod fold;
mod item;
mod open_steps;
mod plan;
mod retry;
mod state;

pub use batch_flow::BatchFlow;
pub use board::board;
pub use commands::{CANCEL_ITEMS, RETRY_ITEMS};
pub use decide::MAX_WANTED;
pub use events::{
    BatchItemAnswered, BatchItemAsks, BatchItemCompleted, BatchItemFailed, BatchItemStarted,
    BatchItemsCancelled, BatchItemsRetried, BatchReaders, register,
};
pub use open_steps::OpenSteps;
pub use plan::{BatchPlan, InitialEnd, PlannedItem, plan};
pub use retry::retry_plan;
pub use state::BatchState;
