//! Shapes of types that other crates own and that have no schema there. Each stands for the type of its name; a test
//! holds it against a real answer.

use gemicro_event::{Charge, CommandId, ErrorKind, Json, RunStatus, StepKey, StreamId, Timestamp};
use schemars::JsonSchema;

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
    /// Where it stands.
    status: RunStatus,
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

/// What is handed in as a batch.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) enum BatchBody {
    /// Tasks alone.
    Tasks(Vec<gemicro_engine::Task>),
    /// Tasks, and what holds for all of them.
    Whole(WholeBatch),
}

/// Tasks, and what holds for all of them.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) struct WholeBatch {
    /// The tasks.
    tasks: Vec<gemicro_engine::Task>,
    /// The caller's own name for the batch.
    key: Option<String>,
    /// What a failure means for the others.
    #[schemars(default)]
    on_failure: gemicro_engine::OnFailure,
    /// Seconds from now after which nothing of it runs any more.
    deadline_seconds: Option<u64>,
}
