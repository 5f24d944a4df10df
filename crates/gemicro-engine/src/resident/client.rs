//! Calls the worker, and starts one if none is running.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_stream::stream;
use futures_util::future::BoxFuture;
use gemicro_core::command::{AgentAck, AgentCommand};
use gemicro_event::{ErrorKind, Failure, Json, StreamId, Timestamp};
use gemicro_steps::Plan;
use tokio::io::BufReader;
use tokio::net::UnixStream;
use tokio::time::Instant;

use super::place::connect;
use super::wire::{BinaryId, WorkerCall, WorkerRequest, WorkerResponse, WorkerStatus, read, write};
use crate::run::CancelOutcome;
use crate::run_service::{RunService, RunSighting, RunSightings};
use crate::store_reads::StoreReads;

/// Maximum time for a worker to start.
const START: Duration = Duration::from_secs(15);
/// Time after which a call that was not received is no longer executed.
const HEARD: Duration = Duration::from_secs(15);
/// Maximum time for the start of a run, because a large batch is planned and written first.
const STARTED: Duration = Duration::from_secs(90);
/// Maximum time for the first answer to any other call.
const ANSWERED: Duration = Duration::from_secs(30);
/// Maximum time for an answer to a status or stop request.
const LOOKED_AT: Duration = Duration::from_secs(3);
/// Wait for a worker that is starting or stopping.
const AGAIN: Duration = Duration::from_millis(20);

/// Starts a worker; returns when it can be called, or when another one holds the lock.
pub type StartWorker = Arc<dyn Fn() -> BoxFuture<'static, Result<(), Failure>> + Send + Sync>;

/// The worker of a store, as a run service. Runs continue when this is dropped.
#[derive(Clone)]
pub struct Resident {
    /// The folder whose only worker is called.
    pub place: PathBuf,
    /// The build of this process.
    pub binary: BinaryId,
    /// The environment for runs started from here.
    pub client_environment: Json,
    /// Starts a worker if none is running; without it, that is an error.
    pub start: Option<StartWorker>,
    /// The store, for reads that do not need the worker.
    pub reads: StoreReads,
}

struct CallAnswer {
    first: WorkerResponse,
    rest: BufReader<UnixStream>,
}

impl Resident {
    /// The status of the worker; `None` if none is running.
    ///
    /// # Errors
    /// When its answer is unexpected.
    pub async fn status(&self) -> Result<Option<WorkerStatus>, Failure> {
        match self.call_running(WorkerRequest::Status).await? {
            Some(WorkerResponse::Status(status)) => Ok(Some(*status)),
            Some(said) => Err(unexpected_response(&said)),
            None => Ok(None),
        }
    }

    /// Stops the worker; returns whether one was running.
    ///
    /// # Errors
    /// When its answer is unexpected.
    pub async fn stop(&self) -> Result<bool, Failure> {
        match self.call_running(WorkerRequest::Stop).await? {
            Some(WorkerResponse::Done) => Ok(true),
            Some(said) => Err(unexpected_response(&said)),
            None => Ok(false),
        }
    }

    /// Closes the store.
    pub async fn close(&self) {
        self.reads.close().await;
    }

    async fn call_running(&self, want: WorkerRequest) -> Result<Option<WorkerResponse>, Failure> {
        match self.try_call(&self.worker_call(want)).await {
            Ok(Some(answer)) => Ok(Some(answer.first)),
            Ok(None) => Ok(None),
            Err(error) if is_absence(&error) => Ok(None),
            Err(error) => Err(broken_connection(&error)),
        }
    }

    fn worker_call(&self, want: WorkerRequest) -> WorkerCall {
        WorkerCall {
            binary: self.binary.clone(),
            until: Timestamp::now().plus(HEARD),
            want,
        }
    }

    /// Calls once; `None` if the worker exited without an answer.
    async fn try_call(&self, call: &WorkerCall) -> io::Result<Option<CallAnswer>> {
        let mut pid = None;
        let asking = async {
            let mut connection = connect(&self.place).await?;
            pid = connection.peer_cred().ok().and_then(|peer| peer.pid());
            write(&mut connection, call).await?;
            let mut rest = BufReader::new(connection);
            let first = read(&mut rest).await?;
            Ok(first.map(|first| CallAnswer { first, rest }))
        };
        let limit = match call.want {
            WorkerRequest::Start { .. } => STARTED,
            WorkerRequest::Status | WorkerRequest::Stop => LOOKED_AT,
            WorkerRequest::Watch { .. }
            | WorkerRequest::Send { .. }
            | WorkerRequest::Cancel { .. }
            | WorkerRequest::GoOn { .. }
            | WorkerRequest::Suspend { .. } => ANSWERED,
        };
        let answer = tokio::time::timeout(limit, asking).await;
        answer.unwrap_or_else(|_| Err(io::Error::new(io::ErrorKind::TimedOut, no_answer(pid))))
    }

    /// Calls until a worker answers. Every call may be repeated, because calls are idempotent.
    async fn call(&self, want: WorkerRequest) -> Result<CallAnswer, Failure> {
        let call = self.worker_call(want);
        let deadline = Instant::now() + START;
        loop {
            match self.try_call(&call).await {
                Ok(Some(CallAnswer {
                    first: WorkerResponse::Failed(failure),
                    ..
                })) => return Err(failure),
                Ok(Some(CallAnswer {
                    first: WorkerResponse::OtherBinary,
                    ..
                })) => {
                    let message = "another version of gemicro carries out runs over this state folder: wait for them \
                                   (`gemicro worker status`), stop it (`gemicro worker stop`), or use --no-resident";
                    return Err(Failure::new(ErrorKind::Conflict, message));
                }
                Ok(Some(answer)) => return Ok(answer),
                Ok(None) => {}
                Err(error) if is_absence(&error) => {}
                Err(error) => return Err(broken_connection(&error)),
            }
            let Some(start) = &self.start else {
                return Err(Failure::new(ErrorKind::NotFound, "no worker is running"));
            };
            start().await?;
            if Instant::now() >= deadline {
                let message = "a worker is running but does not answer: stop it with `gemicro worker stop`, \
                               or end its process";
                return Err(Failure::new(ErrorKind::Conflict, message));
            }
            if connect(&self.place).await.is_err() {
                tokio::time::sleep(AGAIN).await;
            }
        }
    }

    async fn expect_done(&self, want: WorkerRequest) -> Result<(), Failure> {
        match self.call(want).await?.first {
            WorkerResponse::Done => Ok(()),
            said => Err(unexpected_response(&said)),
        }
    }

    async fn open_watch(&self, run: StreamId, want: WorkerRequest) -> Result<RunSightings, Failure> {
        let answer = self.call(want).await?;
        let (resident, id) = (self.clone(), run.clone());
        let items = stream! {
            let (mut said, mut rest) = (Some(answer.first), answer.rest);
            let (mut seen, mut is_new) = (0, true);
            loop {
                match said.take() {
                    Some(WorkerResponse::Event(event)) => {
                        (seen, is_new) = (event.seq, true);
                        yield Ok(RunSighting::Event(*event));
                    }
                    Some(WorkerResponse::Live(item)) => yield Ok(RunSighting::Live(item)),
                    Some(WorkerResponse::End) => return,
                    Some(WorkerResponse::Failed(failure)) => {
                        yield Err(failure);
                        return;
                    }
                    Some(other) => {
                        yield Err(unexpected_response(&other));
                        return;
                    }
                    // The worker died or left; the next one resumes the run.
                    None => {
                        let want = WorkerRequest::Watch { run: id.clone(), after: seen, client_environment: resident.client_environment.clone() };
                        // Twice in a row without any answer: the run itself crashes workers.
                        let again = if is_new { resident.call(want).await } else { Err(no_worker_lasts(&id)) };
                        is_new = false;
                        match again {
                            Ok(answer) => {
                                (said, rest) = (Some(answer.first), answer.rest);
                                continue;
                            }
                            Err(failure) => {
                                yield Err(failure);
                                return;
                            }
                        }
                    }
                }
                said = read(&mut rest).await.unwrap_or_default();
            }
        };
        Ok(RunSightings {
            run,
            items: Box::pin(items),
        })
    }
}

impl RunService for Resident {
    fn start_as(&self, run: StreamId, plan: Plan) -> BoxFuture<'_, Result<RunSightings, Failure>> {
        Box::pin(async move {
            let want = WorkerRequest::Start {
                run: run.clone(),
                plan: Box::new(plan),
                client_environment: self.client_environment.clone(),
            };
            self.open_watch(run, want).await
        })
    }

    fn watch(&self, run: &StreamId) -> BoxFuture<'_, Result<RunSightings, Failure>> {
        let run = run.clone();
        Box::pin(async move {
            let want = WorkerRequest::Watch {
                run: run.clone(),
                after: 0,
                client_environment: self.client_environment.clone(),
            };
            self.open_watch(run, want).await
        })
    }

    fn send(&self, run: &StreamId, command: AgentCommand) -> BoxFuture<'_, Result<AgentAck, Failure>> {
        let run = run.clone();
        Box::pin(async move {
            match self.call(WorkerRequest::Send { run, command }).await?.first {
                WorkerResponse::Ack(ack) => Ok(ack),
                said => Err(unexpected_response(&said)),
            }
        })
    }

    fn reads(&self) -> BoxFuture<'_, Result<StoreReads, Failure>> {
        let reads = self.reads.clone();
        Box::pin(async { Ok(reads) })
    }

    fn trouble(&self, run: &StreamId) -> BoxFuture<'_, Option<Failure>> {
        let run = run.clone();
        Box::pin(async move {
            match self.status().await {
                Ok(Some(status)) => {
                    let carried = status.runs.into_iter().find(|carried| carried.run == run)?;
                    let message = carried.trouble?;
                    Some(Failure::new(ErrorKind::StorageError, message))
                }
                Ok(None) => None,
                Err(failure) => Some(failure),
            }
        })
    }

    fn cancel(&self, run: &StreamId, reason: &str) -> BoxFuture<'_, Result<CancelOutcome, Failure>> {
        let (run, reason) = (run.clone(), reason.to_owned());
        Box::pin(async move {
            match self.call(WorkerRequest::Cancel { run, reason }).await?.first {
                WorkerResponse::Cancelled(outcome) => Ok(outcome),
                said => Err(unexpected_response(&said)),
            }
        })
    }

    fn resume(&self, run: &StreamId) -> BoxFuture<'_, Result<(), Failure>> {
        let (run, client_environment) = (run.clone(), self.client_environment.clone());
        Box::pin(self.expect_done(WorkerRequest::GoOn {
            run,
            client_environment,
        }))
    }

    fn suspend(&self, run: &StreamId) -> BoxFuture<'_, Result<(), Failure>> {
        let run = run.clone();
        Box::pin(self.expect_done(WorkerRequest::Suspend { run }))
    }
}

/// Whether the error means that no worker is running.
fn is_absence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::BrokenPipe
            | io::ErrorKind::UnexpectedEof
    )
}

fn broken_connection(error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::TimedOut => Failure::new(ErrorKind::Timeout, error.to_string()),
        _ => Failure::new(
            ErrorKind::Internal,
            format!("cannot connect to the worker: {error}"),
        ),
    }
}

/// The message for a worker that holds its lock but does not answer.
fn no_answer(pid: Option<i32>) -> String {
    let next = match pid {
        Some(pid) => format!(
            "continue it with `kill -CONT {pid}`, or end it with `kill -KILL {pid}`; the next worker resumes its runs"
        ),
        None => "find the process that holds worker/lock in the state folder, and end it".to_owned(),
    };
    format!("the worker does not answer: it is stopped, or the machine is overloaded; {next}")
}

fn no_worker_lasts(run: &StreamId) -> Failure {
    let message =
        format!("the worker keeps crashing while it works on run {run}: see worker/log in the state folder");
    Failure::new(ErrorKind::Internal, message)
}

fn unexpected_response(said: &WorkerResponse) -> Failure {
    tracing::debug!(?said, "the worker said something else");
    Failure::new(ErrorKind::Internal, "the worker answered a different request")
}
