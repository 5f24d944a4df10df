//! Shapes of types that other crates own and that have no schema there. Each stands for the type of its name; a test
//! holds it against a real answer.

use gemicro_engine::{ItemQuestion, PipelineParameters, ResearchParameters};
use gemicro_event::{Charge, CommandId, ErrorKind, Json, RunStatus, StepKey, StreamId, Timestamp};
use schemars::JsonSchema;

use crate::start_request::{AskParameters, OodaParameters, PromptParameters};

/// A batch in one line.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) struct BatchRow {
    /// Its id, to poll with.
    response_id: StreamId,
    /// What it is, in a few words.
    title: String,
    /// How the run stands.
    state: RunStatus,
    /// When it was handed in.
    started_at: Timestamp,
    /// When its last task was done.
    ended_at: Option<Timestamp>,
}

/// A run in one line.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) struct RunRow {
    /// The run.
    run: StreamId,
    /// Its flow.
    flow: String,
    /// What was asked, in one line.
    title: String,
    /// Its status in the journal.
    status: RunStatus,
    /// Its status, or `input_required` where it continues only after a person has answered.
    state: String,
    /// What it asks a person, or what the first task of a batch that asks something does.
    #[serde(default)]
    question: Option<ItemQuestion>,
    /// Why it failed, if it did.
    error_kind: Option<ErrorKind>,
    /// The run that started it.
    parent_run: Option<StreamId>,
    /// It is a step of that run, which is charged what it uses; absent where it is not.
    #[serde(default)]
    part_of_parent: bool,
    /// Number of events.
    n_events: u64,
    /// Charged so far.
    spent: Charge,
    /// When it started.
    started_at: Timestamp,
    /// Time of its last event.
    updated_at: Timestamp,
    /// When it ended.
    ended_at: Option<Timestamp>,
}

/// One event of a run; `gemicro schema` has the shape of the data of each type. Fields of newer programs may follow.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) struct Event {
    /// The run it belongs to.
    stream: StreamId,
    /// Its place there, from 1, without gaps.
    seq: u64,
    /// Version of the envelope; 1 where it is not there.
    schema_version: Option<u32>,
    /// What happened.
    event_type: String,
    /// The same for people.
    message: String,
    /// When.
    timestamp: Timestamp,
    /// The details.
    data: Json,
    /// The step it speaks about.
    step: Option<StepKey>,
    /// The run that started this run.
    parent_run: Option<StreamId>,
    /// Trace this event belongs to.
    trace: Option<String>,
}

/// The answer to a command.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) struct AgentAck {
    /// Which command.
    command_id: CommandId,
    /// What became of it.
    status: AckStatus,
    /// The details.
    data: Json,
}

/// What became of a command.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) enum AckStatus {
    /// It will be carried out.
    Accepted,
    /// It will not.
    Rejected,
    /// It was carried out.
    Completed,
}

/// What became of a wish to cancel.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) enum CancelOutcome {
    /// The run has ended as cancelled.
    Cancelled,
    /// The process that drives it was told.
    Requested,
    /// It had ended before.
    AlreadyEnded,
}

/// A conversation in one line.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) struct ConversationRow {
    /// Its id.
    id: StreamId,
    /// What people call it.
    name: String,
    /// How many turns it has.
    turns: u64,
    /// When it was begun, or imported.
    started_at: Timestamp,
    /// When it was last added to or renamed.
    updated_at: Timestamp,
    /// Whether this program can read it.
    readable: bool,
}

/// A batch as it is submitted.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) enum BatchBody {
    /// Only tasks.
    Tasks(#[schemars(length(min = 1, max = 100_000))] Vec<Task>),
    /// Tasks, and what holds for all of them.
    Whole(WholeBatch),
}

/// Tasks, and what holds for all of them.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) struct WholeBatch {
    /// The tasks. Each has an id of its own, and none depends on itself or on one that is not there.
    #[schemars(length(min = 1, max = 100_000))]
    tasks: Vec<Task>,
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
pub(crate) struct Task {
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
    Research(ResearchParameters),
    /// A prompt for a coding agent.
    Ask(AskParameters),
    /// A prompt for a model.
    Prompt(PromptParameters),
    /// A coding pipeline.
    Pipeline(PipelineParameters),
    /// A loop that raises the test coverage of a project.
    Ooda(OodaParameters),
}

/// The result of a pause.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case")]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) enum PauseOutcome {
    /// The run is suspended and can be resumed.
    Paused,
    /// It was suspended before.
    AlreadyPaused,
    /// The process that drives it was told and has not stopped its steps yet.
    Requested,
    /// It had ended before.
    AlreadyEnded,
}

/// A piece of text that a model or an agent is writing: the item `text_delta` of a stream. It is never part of the
/// journal, has no `id`, and several pieces may come as one.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) struct TextDelta {
    /// The run.
    stream: StreamId,
    /// The number of the last event before it.
    seq: u64,
    /// `text_delta`.
    event_type: String,
    /// Empty.
    message: String,
    /// When it was sent.
    timestamp: Timestamp,
    /// The step that writes.
    step: StepKey,
    /// The piece.
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
    /// The piece.
    text: String,
}
