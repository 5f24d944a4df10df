//! Schemas for types of other crates that have none. Each represents the type of its name; a test compares it with a
//! real answer.

use gemicro_engine::{StartPipelineParameters, StartResearchParameters};
use gemicro_event::{Json, StepKey, StreamId, Timestamp};
use schemars::JsonSchema;

use crate::start_request::{AskParameters, OodaParameters, StartPromptParameters};

/// One event of a run; `gemicro schema` prints the data format of each type. Newer versions may add fields.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
#[schemars(rename = "Event")]
pub(crate) struct EventShape {
    /// The run it belongs to.
    stream: StreamId,
    /// Its number in the run, counted from 1, without gaps.
    seq: u64,
    /// Version of the envelope; 1 if absent.
    schema_version: Option<u32>,
    /// The type of the event, such as `run_started`.
    event_type: String,
    /// The event in words.
    message: String,
    timestamp: Timestamp,
    /// The fields of the event; each type has its own.
    data: Json,
    /// The step it is about.
    step: Option<StepKey>,
    /// The run that started this run.
    parent_run: Option<StreamId>,
    /// Trace this event belongs to.
    trace: Option<String>,
}

/// The body for submitting a batch.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) enum BatchBody {
    Tasks(#[schemars(length(min = 1, max = 100_000))] Vec<TaskShape>),
    /// Tasks, and settings for all of them.
    Whole(WholeBatch),
}

/// Tasks, and settings for all of them.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) struct WholeBatch {
    /// The tasks. Each has a unique id, and depends only on other tasks of the batch.
    #[schemars(length(min = 1, max = 100_000))]
    tasks: Vec<TaskShape>,
    /// A unique key chosen by the caller.
    #[schemars(regex(pattern = r"^[!-~]([ -~]{0,126}[!-~])?$"))]
    key: Option<String>,
    /// How a failure affects the other tasks.
    #[schemars(default)]
    on_failure: gemicro_engine::OnFailure,
    /// Seconds from now after which the batch is stopped.
    #[schemars(range(min = 1, max = 2_592_000))]
    deadline_seconds: Option<u64>,
}

/// A task of a batch.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
#[schemars(rename = "Task")]
pub(crate) struct TaskShape {
    /// Its id in the batch.
    #[schemars(regex(pattern = r"^[A-Za-z0-9_.:/-]{1,128}$"))]
    task_id: String,
    /// Type of the task; see the task types.
    #[schemars(rename = "type")]
    task_type: String,
    /// Parameters, in the format of its type.
    parameters: serde_json::Map<String, serde_json::Value>,
    /// Tasks that have to complete first.
    #[schemars(default)]
    depends_on: Vec<String>,
    /// Tasks with a higher priority start first.
    #[schemars(default)]
    priority: i32,
    /// Seconds from the submission after which it is stopped.
    #[schemars(default, range(min = 1, max = 2_592_000))]
    deadline_seconds: Option<u64>,
    /// Number of retries after a temporary failure; 2 by default.
    #[schemars(default, range(min = 0, max = 20))]
    max_retries: Option<u32>,
}

/// One task per line, each as JSON.
#[derive(JsonSchema)]
#[schemars(transparent)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) struct TaskLines(#[schemars(length(min = 2))] String);

/// The body for starting a run.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) enum StartBody {
    /// Research; `kind` is optional.
    Research(StartResearchParameters),
    /// A prompt for a coding agent.
    Ask(AskParameters),
    /// A prompt for a model.
    Prompt(StartPromptParameters),
    /// A coding task for a pipeline of agents.
    Pipeline(StartPipelineParameters),
    /// A loop that raises the test coverage of a project.
    Ooda(OodaParameters),
}

/// A piece of text that a model or agent is writing: the item `text_delta` of a stream. It is never part of the
/// journal, has no `id`, and several pieces may arrive as one.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) struct TextDelta {
    /// The run that the text belongs to.
    stream: StreamId,
    /// Number of the last event before it.
    seq: u64,
    /// Always `text_delta`, the type of this item.
    event_type: String,
    /// Always empty: the text is in `data`.
    message: String,
    /// When it was sent.
    timestamp: Timestamp,
    /// The step that writes the text.
    step: StepKey,
    data: TextPiece,
}

/// A piece of the text of a step.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) struct TextPiece {
    /// The attempt of the step; a new attempt starts at offset 0.
    attempt: u32,
    /// Byte offset of this piece in the text of the attempt.
    offset: u64,
    /// The text, to be appended at `offset`.
    text: String,
}
