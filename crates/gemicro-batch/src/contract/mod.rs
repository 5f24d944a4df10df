//! Requests and answers: the same JSON for the CLI, HTTP and MCP.
//!
//! [`read_batch`] parses bytes into a [`SubmittedBatch`], or reports where they are wrong. [`BatchAnswer`] is the
//! answer to every submit and poll.

mod answer;
mod error;
mod graph;
mod items;
mod limits;
mod poll;
mod read;
mod submitted_batch;

pub use answer::{BatchAnswer, BatchStatus, Counts, ItemAnswer, ItemQuestion, ItemState};
pub use error::BatchError;
pub(crate) use graph::{Edges, edges};
pub use items::Items;
pub use limits::{
    MAX_ALL_DEPENDENCIES, MAX_BATCH_BYTES, MAX_DEADLINE_SECONDS, MAX_DEPENDENCIES, MAX_ID_BYTES,
    MAX_PARAMETERS_BYTES, MAX_RESOLVED_BYTES, MAX_RETRIES, MAX_TASK_PARAMETERS_BYTES, MAX_TASKS,
};
pub use poll::{BatchProgress, next_poll_seconds};
pub(crate) use read::pointer;
pub use read::read_batch;
pub use submitted_batch::{OnFailure, SubmittedBatch, Task};
