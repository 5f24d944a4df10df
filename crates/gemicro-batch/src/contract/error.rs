//! The reasons to refuse a batch. Nothing of a refused batch is stored.

use gemicro_event::{ErrorKind, Failure};

/// A batch that cannot be accepted. Every error says where: places inside the JSON are JSON pointers, such as
/// `/3/task_id` for the id of the fourth task (`/tasks/3/task_id` if the tasks are in an object).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum BatchError {
    /// It is larger than a batch may be.
    #[error("the batch has {n_bytes} bytes; at most {most} are read: send several smaller batches")]
    TooLong {
        n_bytes: usize,
        /// Maximum size in bytes.
        most: usize,
    },
    /// It is not text.
    #[error("line {line}, column {column}: not UTF-8 text")]
    NotText {
        /// The line, from 1.
        line: usize,
        /// The byte in the line, from 1.
        column: usize,
    },
    /// It is not valid JSON.
    #[error("line {line}, column {column}: not valid JSON: {message}")]
    NotJson {
        /// The line, from 1.
        line: usize,
        /// The byte in the line, from 1.
        column: usize,
        /// The parser's message.
        message: String,
    },
    /// It is JSON with the wrong structure, or a value is out of range.
    #[error("{}: {message}", pointer_text(.place))]
    Shape {
        place: String,
        /// The mismatch.
        message: String,
    },
    /// It has no tasks.
    #[error("the batch contains no tasks")]
    Empty,
    /// Two tasks have the same id.
    #[error("{place}: the task id `{task_id}` is used twice; the first is task {first} of the batch")]
    DuplicateTask {
        /// JSON pointer of the second one.
        place: String,
        task_id: String,
        /// Number of the first one, from 1.
        first: usize,
    },
    /// A task depends on one that is not in the batch.
    #[error("{place}: there is no task `{task_id}` in this batch")]
    UnknownDependency {
        /// JSON pointer of the dependency.
        place: String,
        /// The id that no task has.
        task_id: String,
    },
    /// Tasks depend on each other.
    #[error("these tasks depend on each other in a cycle: {}", .tasks.join(" → "))]
    Cycle {
        /// The task ids along the cycle; the first one is repeated at the end.
        tasks: Vec<String>,
    },
    /// It exceeds a limit.
    #[error("{}: {what} are too many; at most {most} are allowed", pointer_text(.place))]
    TooMany {
        place: String,
        /// The things that are too many, with their number.
        what: String,
        /// Maximum number allowed.
        most: usize,
    },
}

impl From<BatchError> for Failure {
    fn from(error: BatchError) -> Self {
        Self::new(ErrorKind::InvalidInput, error.to_string())
    }
}

/// An empty pointer means the whole document.
fn pointer_text(place: &str) -> &str {
    match place {
        "" => "the batch",
        place => place,
    }
}
