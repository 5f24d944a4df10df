//! Parses a batch, as a whole or not at all.
//!
//! It accepts three forms: an array of tasks; one task per line (JSON lines); or an object with the tasks and settings
//! for all of them: `{"tasks": […], "key": …, "on_failure": "continue" | "stop", "deadline_seconds": …}`.

use std::fmt;

use serde::de::{DeserializeOwned, Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::error::BatchError;
use super::graph::edges;
use super::limits::{
    MAX_BATCH_BYTES, MAX_DEADLINE_SECONDS, MAX_ID_BYTES, MAX_PARAMETERS_BYTES, MAX_RETRIES,
    MAX_TASK_PARAMETERS_BYTES, MAX_TASKS,
};
use super::submitted_batch::{OnFailure, SubmittedBatch, Task};
use crate::reference::is_task_id;

/// JSON pointer of the tasks in the object form.
const IN_OBJECT: &str = "/tasks";

/// Reads a batch.
///
/// # Errors
/// When the input has the wrong structure or is too large, two tasks have the same id, or a dependency is unknown or
/// circular. The error says where. Unknown task types and invalid parameters are not errors: such a task is
/// rejected when the batch is planned, and the others proceed.
pub fn read_batch(bytes: &[u8]) -> Result<SubmittedBatch, BatchError> {
    if bytes.len() > MAX_BATCH_BYTES {
        return Err(BatchError::TooLong {
            n_bytes: bytes.len(),
            most: MAX_BATCH_BYTES,
        });
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let (line, column) = line_and_column(&bytes[..error.valid_up_to()]);
        BatchError::NotText { line, column }
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (whole, places, raw_tasks) = split(text)?;
    if raw_tasks.is_empty() {
        return Err(BatchError::Empty);
    }
    let mut n_bytes = 0;
    let mut tasks = Vec::with_capacity(raw_tasks.len());
    for (idx, raw) in raw_tasks.iter().enumerate() {
        let place = format!("{places}/{idx}");
        let task: Task = read_at(raw.get(), &place)?;
        check_task(&task, &place)?;
        n_bytes += task.parameters.text().len();
        tasks.push(task);
    }
    if n_bytes > MAX_PARAMETERS_BYTES {
        return Err(BatchError::TooMany {
            place: places.to_owned(),
            what: format!("{n_bytes} bytes of parameters"),
            most: MAX_PARAMETERS_BYTES,
        });
    }
    edges(&tasks, places)?;
    Ok(SubmittedBatch {
        key: whole.key,
        on_failure: whole.on_failure,
        deadline_seconds: whole.deadline_seconds,
        tasks,
    })
}

/// The object form: settings for all tasks, and the tasks.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct WholeBody {
    #[serde(default)]
    key: Option<String>,
    #[serde(default)]
    on_failure: OnFailure,
    #[serde(default)]
    deadline_seconds: Option<u64>,
    tasks: RawTasks,
}

/// Tasks as unparsed JSON, limited in number, so that a huge array of empty values cannot fill the memory.
#[derive(Default)]
struct RawTasks(Vec<Box<RawValue>>);

impl<'de> Deserialize<'de> for RawTasks {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Tasks;

        impl<'de> Visitor<'de> for Tasks {
            type Value = RawTasks;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an array of tasks")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<RawTasks, A::Error> {
                let mut tasks = Vec::new();
                while let Some(task) = items.next_element()? {
                    if tasks.len() == MAX_TASKS {
                        return Err(A::Error::custom(too_many_tasks()));
                    }
                    tasks.push(task);
                }
                Ok(RawTasks(tasks))
            }
        }
        deserializer.deserialize_seq(Tasks)
    }
}

fn too_many_tasks() -> String {
    format!("more than {MAX_TASKS} tasks; send several batches")
}

/// Detects the form of the input. Returns the settings, the JSON pointer of the tasks, and each task as JSON.
fn split(text: &str) -> Result<(WholeBody, &'static str, Vec<Box<RawValue>>), BatchError> {
    let start = text.trim_start();
    match start.bytes().next() {
        None => Err(BatchError::Empty),
        Some(b'[') => {
            let RawTasks(tasks) = serde_json::from_str(text).map_err(|error| not_json(&error, 0))?;
            Ok((WholeBody::default(), "", tasks))
        }
        Some(b'{') => split_objects(text),
        Some(_) => {
            // Invalid JSON is reported as such first.
            serde_json::from_str::<&RawValue>(text).map_err(|error| not_json(&error, 0))?;
            Err(BatchError::Shape {
                place: String::new(),
                message: "expected an array of tasks, an object with `tasks`, or one task a line".to_owned(),
            })
        }
    }
}

/// Splits an object with `tasks`, a single task, or one task per line.
fn split_objects(text: &str) -> Result<(WholeBody, &'static str, Vec<Box<RawValue>>), BatchError> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Box<RawValue>>();
    let first = match values.next() {
        Some(Ok(first)) => first,
        Some(Err(error)) => return Err(not_json(&error, 0)),
        None => return Err(BatchError::Empty),
    };
    let is_alone = text[values.byte_offset()..].trim().is_empty();
    if !is_alone {
        return Ok((WholeBody::default(), "", lines(text)?));
    }
    if !has_tasks(&first) {
        return Ok((WholeBody::default(), "", vec![first]));
    }
    let mut whole: WholeBody = read_at(first.get(), "")?;
    check_whole(&whole)?;
    let RawTasks(tasks) = std::mem::take(&mut whole.tasks);
    Ok((whole, IN_OBJECT, tasks))
}

/// Whether an object has the field `tasks`.
fn has_tasks(object: &RawValue) -> bool {
    #[derive(Deserialize)]
    struct Tasks {
        #[serde(rename = "tasks")]
        _tasks: serde::de::IgnoredAny,
    }
    serde_json::from_str::<Tasks>(object.get()).is_ok()
}

fn lines(text: &str) -> Result<Vec<Box<RawValue>>, BatchError> {
    let filled = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty());
    let mut tasks = Vec::new();
    for (before, line) in filled {
        if tasks.len() == MAX_TASKS {
            return Err(shape("", "", too_many_tasks()));
        }
        tasks.push(serde_json::from_str(line).map_err(|error| not_json(&error, before))?);
    }
    Ok(tasks)
}

/// Parses JSON as a type; errors give the position as a JSON pointer that starts with `place`.
fn read_at<T: DeserializeOwned>(text: &str, place: &str) -> Result<T, BatchError> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    serde_path_to_error::deserialize(&mut deserializer).map_err(|error| BatchError::Shape {
        place: format!("{place}{}", pointer(error.path())),
        message: without_position(&error.into_inner()),
    })
}

/// Converts a path to a JSON pointer.
pub(crate) fn pointer(path: &serde_path_to_error::Path) -> String {
    use serde_path_to_error::Segment;

    path.iter()
        .filter_map(|segment| match segment {
            Segment::Seq { index } => Some(format!("/{index}")),
            Segment::Map { key } => Some(format!("/{}", key.replace('~', "~0").replace('/', "~1"))),
            Segment::Enum { variant } => Some(format!("/{variant}")),
            Segment::Unknown => None,
        })
        .collect()
}

/// The parser's message without its position, which is relative to a fragment of the input.
fn without_position(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

fn not_json(error: &serde_json::Error, lines_before: usize) -> BatchError {
    let message = without_position(error);
    if error.is_data() {
        // The JSON is valid, but an element has the wrong type.
        return BatchError::Shape {
            place: String::new(),
            message,
        };
    }
    BatchError::NotJson {
        line: error.line() + lines_before,
        column: error.column(),
        message,
    }
}

fn line_and_column(before: &[u8]) -> (usize, usize) {
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let line_start = before
        .iter()
        .rposition(|byte| *byte == b'\n')
        .map_or(0, |at| at + 1);
    (line, before.len() - line_start + 1)
}

fn check_whole(whole: &WholeBody) -> Result<(), BatchError> {
    let fits = |key: &String| (1..=MAX_ID_BYTES).contains(&key.len()) && !key.contains(char::is_control);
    if whole.key.as_ref().is_some_and(|key| !fits(key)) {
        let message = format!("a key has 1 to {MAX_ID_BYTES} bytes and no control characters");
        return Err(shape("", "/key", message));
    }
    check_deadline(whole.deadline_seconds, "")
}

fn check_task(task: &Task, place: &str) -> Result<(), BatchError> {
    if !is_task_id(&task.task_id) {
        let message =
            format!("a task id has 1 to {MAX_ID_BYTES} bytes: letters, digits, `_`, `-`, `.`, `:` or `/`");
        return Err(shape(place, "/task_id", message));
    }
    let parameters = task.parameters.text();
    if !parameters.starts_with('{') {
        return Err(shape(place, "/parameters", "expected an object".to_owned()));
    }
    if parameters.len() > MAX_TASK_PARAMETERS_BYTES {
        return Err(BatchError::TooMany {
            place: format!("{place}/parameters"),
            what: format!("{} bytes", parameters.len()),
            most: MAX_TASK_PARAMETERS_BYTES,
        });
    }
    if task.max_retries.is_some_and(|n_retries| n_retries > MAX_RETRIES) {
        return Err(shape(place, "/max_retries", format!("at most {MAX_RETRIES}")));
    }
    if let Some(max_attempts) = task.max_attempts {
        if !(1..=MAX_RETRIES + 1).contains(&max_attempts) {
            let message = format!("between 1 and {}", MAX_RETRIES + 1);
            return Err(shape(place, "/max_attempts", message));
        }
        if task
            .max_retries
            .is_some_and(|n_retries| n_retries + 1 != max_attempts)
        {
            let message = "contradicts max_retries; leave one of them out".to_owned();
            return Err(shape(place, "/max_attempts", message));
        }
    }
    check_deadline(task.deadline_seconds, place)
}

fn check_deadline(seconds: Option<u64>, place: &str) -> Result<(), BatchError> {
    match seconds {
        Some(seconds) if !(1..=MAX_DEADLINE_SECONDS).contains(&seconds) => {
            let message = format!("between 1 and {MAX_DEADLINE_SECONDS} seconds");
            Err(shape(place, "/deadline_seconds", message))
        }
        Some(_) | None => Ok(()),
    }
}

fn shape(place: &str, field: &str, message: String) -> BatchError {
    BatchError::Shape {
        place: format!("{place}{field}"),
        message,
    }
}
