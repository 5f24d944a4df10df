//! Shapes of types that other crates own and that have no schema there. Each stands for the type of its name; a test
//! holds it against a real answer.

use gemicro_engine::{StartPipelineParameters, StartResearchParameters};
use gemicro_event::{Json, StepKey, StreamId, Timestamp};
use schemars::JsonSchema;

use crate::start_request::{AskParameters, OodaParameters, StartPromptParameters};

/// One event of a run; `gemicro schema` has the shape of the data of each type. Fields of newer programs may follow.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
#[schemars(rename = "Event")]
pub(crate) struct EventShape {
    /// The run it belongs to.
    stream: StreamId,
    /// Its place there, from 1, without gaps.
    seq: u64,
    /// Version of the envelope; 1 where it is not there.
    schema_version: Option<u32>,
    /// The type of the event, such as `run_started`.
    event_type: String,
    /// The same for people.
    message: String,
    timestamp: Timestamp,
    /// The fields of the event; each type has its own.
    data: Json,
    /// The step it speaks about.
    step: Option<StepKey>,
    /// The run that started this run.
    parent_run: Option<StreamId>,
    /// Trace this event belongs to.
    trace: Option<String>,
}

/// A batch as it is submitted.
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
    /// The tasks. Each has an id of its own, and none depends on itself or on one that is not there.
    #[schemars(length(min = 1, max = 100_000))]
    tasks: Vec<TaskShape>,
    /// The caller's own name for the batch.
    #[schemars(regex(pattern = r"^[!-~]([ -~]{0,126}[!-~])?$"))]
    key: Option<String>,
    /// What a failure means for the others.
    #[schemars(default)]
    on_failure: gemicro_engine::OnFailure,
    /// Seconds from now after which nothing of it runs any more.
    #[schemars(range(min = 1, max = 2_592_000))]
    deadline_seconds: Option<u64>,
}

/// A task of a batch.
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only its schema is used")]
#[schemars(rename = "Task")]
pub(crate) struct TaskShape {
    /// Its name in the batch.
    #[schemars(regex(pattern = r"^[A-Za-z0-9_.:/-]{1,128}$"))]
    task_id: String,
    /// What is to be done; see the task types.
    #[schemars(rename = "type")]
    task_type: String,
    /// The details, as its type asks for them.
    parameters: serde_json::Map<String, serde_json::Value>,
    /// Tasks that have to complete first.
    #[schemars(default)]
    depends_on: Vec<String>,
    /// Higher ones start first.
    #[schemars(default)]
    priority: i32,
    /// Seconds from the submission after which it must not run any more.
    #[schemars(default, range(min = 1, max = 2_592_000))]
    deadline_seconds: Option<u64>,
    /// How often it is tried again where a failure may pass; 2 by default.
    #[schemars(default, range(min = 0, max = 20))]
    max_retries: Option<u32>,
}

/// One task a line, each as JSON.
#[derive(JsonSchema)]
#[schemars(transparent)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) struct TaskLines(#[schemars(length(min = 2))] String);

/// What a run is started with.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) enum StartBody {
    /// Research; `kind` can be left out.
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

/// A piece of text that a model or an agent is writing: the item `text_delta` of a stream. It is never part of the
/// journal, has no `id`, and several pieces may come as one.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) struct TextDelta {
    /// The run that the text belongs to.
    stream: StreamId,
    /// The number of the last event before it.
    seq: u64,
    /// Always `text_delta`, the type of this item.
    event_type: String,
    /// Always empty: the text is in `data`.
    message: String,
    /// When it was sent.
    timestamp: Timestamp,
    /// The step that writes.
    step: StepKey,
    data: TextPiece,
}

/// A piece of the text of a step.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) struct TextPiece {
    /// The attempt of the step; a new one starts again at offset 0.
    attempt: u32,
    /// Byte offset of this piece in the text of the attempt.
    offset: u64,
    /// The text, to be appended at `offset`.
    text: String,
}
