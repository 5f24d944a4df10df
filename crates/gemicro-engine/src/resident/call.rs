//! Serves one call to the worker.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use futures_util::StreamExt;
use gemicro_core::store::StoreError;
use gemicro_event::{ErrorKind, Failure, Json, StreamId, Timestamp};
use gemicro_steps::Plan;
use tokio::io::BufReader;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};

use super::adopt::adopt;
use super::wire::{CarriedRun, WorkerCall, WorkerRequest, WorkerResponse, WorkerStatus, read, write};
use super::worker_state::WorkerState;
use crate::local_run_service::LocalRunService;
use crate::run_service::{RunService, RunSighting, RunSightings};

/// Serves a connection to its end.
pub(super) async fn serve(house: &Arc<WorkerState>, connection: UnixStream) -> io::Result<()> {
    let (from, mut to) = connection.into_split();
    let mut from = BufReader::new(from);
    let Some(call) = read::<WorkerCall>(&mut from).await? else {
        return Ok(());
    };
    if call.binary != house.binary && !matches!(call.want, WorkerRequest::Status | WorkerRequest::Stop) {
        if house.is_busy() {
            return write(&mut to, &WorkerResponse::OtherBinary).await;
        }
        // The caller will start its own version of the worker.
        house.leave.cancel();
        return Ok(());
    }
    if matches!(call.want, WorkerRequest::Start { .. }) && Timestamp::now() > call.until {
        return Ok(());
    }
    let is_look = matches!(call.want, WorkerRequest::Status);
    if !is_look {
        house.note_call();
    }
    let (watching, after) = match call.want {
        WorkerRequest::Start {
            run,
            plan,
            client_environment,
        } => (start(house, &run, *plan, &client_environment).await, 0),
        WorkerRequest::Watch {
            run,
            after,
            client_environment,
        } => (watch(house, &run, &client_environment).await, after),
        want => {
            let said = other(house, want).await.unwrap_or_else(WorkerResponse::Failed);
            return write(&mut to, &said).await;
        }
    };
    match watching {
        Ok(watching) => {
            let outcome = tell(watching, after, from, to).await;
            house.note_answer();
            outcome
        }
        Err(failure) => write(&mut to, &WorkerResponse::Failed(failure)).await,
    }
}

/// Starts a run with the id that its client chose; if it exists, the call was repeated.
async fn start(
    house: &Arc<WorkerState>,
    run: &StreamId,
    plan: Plan,
    client_environment: &Json,
) -> Result<RunSightings, Failure> {
    let here = desk(house, client_environment)?;
    match here.start_as(run.clone(), plan).await {
        Ok(watching) => Ok(watching),
        Err(_) if house.desks.store().run(run).await.is_ok() => watch(house, run, client_environment).await,
        Err(failure) => Err(failure),
    }
}

async fn watch(
    house: &Arc<WorkerState>,
    run: &StreamId,
    client_environment: &Json,
) -> Result<RunSightings, Failure> {
    match house.desks.desk_of_run(run) {
        Some(here) => here.watch(run).await,
        None => desk(house, client_environment)?.watch(run).await,
    }
}

/// The run service for a client's environment. A new one may be able to resume waiting runs.
fn desk(house: &Arc<WorkerState>, client_environment: &Json) -> Result<LocalRunService, Failure> {
    let (here, is_new) = house.desks.of(client_environment)?;
    if is_new {
        let (house, here) = (Arc::clone(house), here.clone());
        tokio::spawn(async move {
            if let Err(failure) = adopt(&house, &here).await {
                tracing::warn!(%failure, "cannot look for waiting runs");
            }
        });
    }
    Ok(here)
}

/// Sends everything about a run until it ends or the client disconnects, which does not affect the run.
async fn tell(
    mut watching: RunSightings,
    after: u64,
    mut from: BufReader<OwnedReadHalf>,
    mut to: OwnedWriteHalf,
) -> io::Result<()> {
    loop {
        let item = tokio::select! {
            item = watching.items.next() => item,
            // The client sends nothing more, so this means that it has disconnected.
            _ = read::<Json>(&mut from) => return Ok(()),
        };
        let said = match item {
            Some(Ok(RunSighting::Event(event))) if event.seq <= after => continue,
            Some(Ok(watched)) => watched.into(),
            Some(Err(failure)) => WorkerResponse::Failed(failure),
            None => WorkerResponse::End,
        };
        let is_last = matches!(said, WorkerResponse::End | WorkerResponse::Failed(_));
        write(&mut to, &said).await?;
        if is_last {
            return Ok(());
        }
    }
}

async fn other(house: &Arc<WorkerState>, want: WorkerRequest) -> Result<WorkerResponse, Failure> {
    let any = || {
        let nobody = || Failure::new(ErrorKind::Internal, "the worker has no engine");
        house.desks.any().ok_or_else(nobody)
    };
    let carrying = |run: &StreamId| house.desks.desk_of_run(run).map_or_else(any, Ok);
    match want {
        WorkerRequest::Send { run, command } => {
            Ok(WorkerResponse::Ack(carrying(&run)?.send(&run, command).await?))
        }
        WorkerRequest::Cancel { run, reason } => Ok(WorkerResponse::Cancelled(
            carrying(&run)?.cancel(&run, &reason).await?,
        )),
        WorkerRequest::GoOn {
            run,
            client_environment,
        } => {
            desk(house, &client_environment)?.resume(&run).await?;
            Ok(WorkerResponse::Done)
        }
        WorkerRequest::Suspend { run } => {
            carrying(&run)?.suspend(&run).await?;
            Ok(WorkerResponse::Done)
        }
        WorkerRequest::Status => Ok(WorkerResponse::Status(Box::new(status(house).await?))),
        WorkerRequest::Stop => {
            house.leave.cancel();
            Ok(WorkerResponse::Done)
        }
        WorkerRequest::Start { .. } | WorkerRequest::Watch { .. } => {
            Err(Failure::new(ErrorKind::Internal, "this call is served elsewhere"))
        }
    }
}

async fn status(house: &WorkerState) -> Result<WorkerStatus, StoreError> {
    let mut runs = Vec::new();
    let desks = house.desks.all();
    let waiting = desks.iter().flat_map(|here| here.troubles().runs());
    let all: BTreeSet<String> = waiting
        .chain(house.desks.runs())
        .map(|run| run.to_string())
        .collect();
    for run in all.into_iter().filter_map(|run| StreamId::new(run).ok()) {
        let row = house.desks.store().run(&run).await?;
        // Its driver is about to finish, so it is not listed.
        if row.status.is_terminal() {
            continue;
        }
        runs.push(CarriedRun {
            trouble: house.desks.trouble(&run).map(|failure| failure.message),
            run,
            flow: row.flow,
            title: row.title,
            status: row.status,
        });
    }
    Ok(WorkerStatus {
        pid: std::process::id(),
        program: house.program.clone(),
        since: house.since,
        runs,
        warm: house.desks.commons().warm(),
    })
}
