//! Batches: handed in, polled, cancelled and retried over any desk; and who carries out their steps.
//!
//! [`Batches`] is what every edge uses. A batch is a run of the flow `batch` of `gemicro-batch`; its `response_id` is
//! the run's id. `child_runs`, `shell` and `memory` are the executors of the step kinds that no other crate has; that of `coverage` is
//! `gemicro-batch`'s own.

mod batches_face;
mod bounded;
mod child_runs;
mod memory;
mod open_steps;
mod request;
mod shell;

pub use batches_face::{BatchRow, Batches, answer_of_board, counts_of_board};
pub(crate) use bounded::Bounded;
pub(crate) use child_runs::ChildRuns;
pub use gemicro_batch::contract::{
    BatchAnswer, BatchError, BatchStatus, Counts, ItemAnswer, ItemQuestion, ItemState, Items,
    MAX_BATCH_BYTES, OnFailure, Submitted, Task, read_batch,
};
pub use gemicro_batch::types::{BatchSettings, TASK_TYPES, TaskType, task_type};
pub(crate) use memory::MemorySearch;
pub use request::BatchRequest;
pub(crate) use shell::Shell;
