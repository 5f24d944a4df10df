//! The messages over the socket: one call per connection, each message one line of JSON.

use std::io;

use gemicro_agents::WarmStatus;
use gemicro_core::command::{AgentAck, AgentCommand};
use gemicro_core::live::LiveItem;
use gemicro_event::{Event, Failure, Json, RunStatus, StreamId, Timestamp};
use gemicro_steps::Plan;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use crate::run::CancelOutcome;
use crate::run_service::RunSighting;

/// Maximum length of a line; enough for the largest batch with its plan.
const MAX_LINE: u64 = 512 * 1024 * 1024;

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct WorkerCall {
    pub(super) binary: BinaryId,
    /// Time after which the client no longer waits, and nothing may be started.
    pub(super) until: Timestamp,
    pub(super) want: WorkerRequest,
}

/// Identifies the build of the program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BinaryId(pub String);

/// A request to the worker.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum WorkerRequest {
    /// Start a run, unless it exists, and watch it.
    Start {
        run: StreamId,
        plan: Box<Plan>,
        #[serde(rename = "surroundings")]
        client_environment: Json,
    },
    /// Watch a run; events up to `after` are skipped.
    Watch {
        run: StreamId,
        after: u64,
        #[serde(rename = "surroundings")]
        client_environment: Json,
    },
    Send {
        run: StreamId,
        command: AgentCommand,
    },
    Cancel {
        run: StreamId,
        reason: String,
    },
    GoOn {
        run: StreamId,
        #[serde(rename = "surroundings")]
        client_environment: Json,
    },
    Suspend {
        run: StreamId,
    },
    Status,
    /// Exit; its runs are left for the next worker.
    Stop,
}

/// A response of the worker.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum WorkerResponse {
    Event(Box<Event>),
    Live(LiveItem),
    End,
    Ack(AgentAck),
    Cancelled(CancelOutcome),
    Status(Box<WorkerStatus>),
    Done,
    /// The worker is another build of this program and busy.
    OtherBinary,
    Failed(Failure),
}

/// The status of a worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerStatus {
    /// Process id of the worker.
    pub pid: u32,
    /// Its program and version.
    pub program: String,
    /// When the worker was started.
    pub since: Timestamp,
    /// The runs it drives.
    pub runs: Vec<CarriedRun>,
    /// The agents it keeps warm.
    pub warm: Vec<WarmStatus>,
}

/// A run that a worker drives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CarriedRun {
    /// Id of the run.
    pub run: StreamId,
    /// Name of its flow.
    pub flow: String,
    /// Its title in lists.
    pub title: String,
    /// Its current status.
    pub status: RunStatus,
    /// The problem that blocks it now; the worker retries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<String>,
}

impl From<RunSighting> for WorkerResponse {
    fn from(watched: RunSighting) -> Self {
        match watched {
            RunSighting::Event(event) => Self::Event(Box::new(event)),
            RunSighting::Live(item) => Self::Live(item),
        }
    }
}

pub(super) async fn write(to: &mut (impl AsyncWrite + Unpin), message: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    to.write_all(&line).await
}

/// Reads one line; `None` at the end.
pub(super) async fn read<T: DeserializeOwned>(
    from: &mut (impl AsyncBufRead + Unpin),
) -> io::Result<Option<T>> {
    let mut line = Vec::new();
    from.take(MAX_LINE).read_until(b'\n', &mut line).await?;
    match line.pop() {
        None => Ok(None),
        Some(b'\n') => Ok(Some(serde_json::from_slice(&line)?)),
        Some(_) => Err(io::Error::new(
            io::ErrorKind::UnexpectedEof,
            "a line without its end",
        )),
    }
}
