//! How a batch is carried out: planned, folded, decided, shown.
//!
//! [`plan`] turns what was submitted into a [`BatchPlan`], in which tasks that cannot be carried out are rejected.
//! [`BatchFlow`] decides. Its [`BatchState`] is folded from the journal: which task is in which state, which
//! are ready, and how many there are of each. What follows from a fact without a step (a task that fails with its
//! dependency, one whose deadline passed) is not an event of its own: the fold concludes it.

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
