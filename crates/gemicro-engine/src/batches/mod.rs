//! Batches: handed in, polled, cancelled and retried over any desk; and the runs that are their steps.
//!
//! [`Batches`] is what every edge uses. A batch is a run of the flow `batch` of `gemicro-batch`; its `response_id` is
//! the run's id. `child_runs` carries out the tasks that are runs themselves.

mod batches_face;
mod child_runs;
mod open_steps;
mod request;

pub use batches_face::{BatchRow, Batches, answer_of_board, counts_of_board};
pub(crate) use child_runs::ChildRuns;
pub use gemicro_batch::contract::{
    BatchAnswer, BatchError, BatchStatus, Counts, ItemAnswer, ItemQuestion, ItemState, Items,
    MAX_BATCH_BYTES, OnFailure, Submitted, Task, read_batch,
};
pub use gemicro_batch::types::{BatchSettings, TASK_TYPES, TaskType, task_type};
pub use request::BatchRequest;
