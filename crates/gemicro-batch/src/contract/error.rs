//! Why a batch is refused. Nothing of a refused batch is kept.

use gemicro_event::{ErrorKind, Failure};

/// A batch that cannot be accepted; every error names the place. Places inside the JSON are JSON pointers:
/// `/3/task_id` is the id of the fourth task, `/tasks/3/task_id` where the tasks stand in an object.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum BatchError {
    /// It has more bytes than a batch may have.
    #[error("the batch has {n_bytes} bytes; at most {most} are read: send several smaller batches")]
    TooLong {
        n_bytes: usize,
        /// What it may have.
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
    /// It is not JSON.
    #[error("line {line}, column {column}: not valid JSON: {message}")]
    NotJson {
        /// The line, from 1.
        line: usize,
        /// The byte in the line, from 1.
        column: usize,
        /// What the parser expected.
        message: String,
    },
    /// It is JSON of another shape, or a value is out of its range.
    #[error("{}: {message}", pointer_text(.place))]
    Shape {
        place: String,
        /// What does not fit.
        message: String,
    },
    /// There is nothing to do.
    #[error("the batch contains no tasks")]
    Empty,
    /// Two tasks have the same id.
    #[error("{place}: the task id `{task_id}` is used twice; the first is task {first} of the batch")]
    DuplicateTask {
        /// Where the second one is.
        place: String,
        task_id: String,
        /// Number of the first one, from 1.
        first: usize,
    },
    /// A task needs one that is not in the batch.
    #[error("{place}: there is no task `{task_id}` in this batch")]
    UnknownDependency {
        /// Where it is named.
        place: String,
        /// The id that no task has.
        task_id: String,
    },
    /// Tasks wait for each other.
    #[error("these tasks depend on each other in a cycle: {}", .tasks.join(" → "))]
    Cycle {
        /// The way round, the first task at its end again.
        tasks: Vec<String>,
    },
    /// It holds more than a batch may hold.
    #[error("{}: {what} are too many; at most {most} are allowed", pointer_text(.place))]
    TooMany {
        place: String,
        /// What, with its number.
        what: String,
        /// How many there may be.
        most: usize,
    },
}

impl From<BatchError> for Failure {
    fn from(error: BatchError) -> Self {
        Self::new(ErrorKind::InvalidInput, error.to_string())
    }
}

/// The empty pointer is the whole document.
fn pointer_text(place: &str) -> &str {
    match place {
        "" => "the batch",
        place => place,
    }
}
