//! Pauses a run: its driver suspends it, and `resume` continues it.

use std::time::Duration;

use gemicro_core::command::AgentCommand;
use gemicro_event::{ErrorKind, Failure, RunStatus, StreamId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use crate::run_service::RunService;
use crate::send_and_wait::tell;

/// Maximum time for the steps to end, before the pause is reported as requested.
const STOP_WITHIN: Duration = Duration::from_secs(10);
/// Polling interval for the run's status.
const LOOK: Duration = Duration::from_millis(20);

/// The result of a pause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PauseOutcome {
    /// The run is suspended and can be resumed.
    Paused,
    /// It was suspended before.
    AlreadyPaused,
    /// The process that drives it starts nothing new; steps that cannot be repeated have not ended yet.
    Requested,
    /// It had ended before.
    AlreadyEnded,
}

/// Pauses a run, whichever process drives it, and waits until it is suspended.
///
/// # Errors
/// `not_found` when there is no such run; `conflict` when no process drives it, so that there is nothing to pause, or
/// when it is a task of a batch, which would count it as interrupted.
pub async fn pause(desk: &dyn RunService, run: &StreamId) -> Result<PauseOutcome, Failure> {
    let row = desk.find(run.as_str()).await?;
    let status = row.status;
    if let Some(batch) = row
        .parent_run
        .filter(|_| row.part_of_parent && !status.is_terminal())
    {
        let message = format!(
            "run {run} is a task of batch {batch}, which cannot be paused by itself; pause the batch instead"
        );
        return Err(Failure::new(ErrorKind::Conflict, message));
    }
    if status == RunStatus::Suspended {
        return Ok(PauseOutcome::AlreadyPaused);
    }
    if status.is_terminal() {
        return Ok(PauseOutcome::AlreadyEnded);
    }
    let sent = tell(desk, run, AgentCommand::pause()).await;
    let deadline = Instant::now() + STOP_WITHIN;
    loop {
        let status = desk.find(run.as_str()).await?.status;
        match &sent {
            // It may have ended or stopped before the command arrived.
            _ if status.is_terminal() => return Ok(PauseOutcome::AlreadyEnded),
            _ if status == RunStatus::Suspended => return Ok(PauseOutcome::Paused),
            Err(failure) if failure.kind == ErrorKind::StillRunning => {
                let message = format!(
                    "no process drives run {run} now, so there is nothing to pause; resume it to continue it, or cancel it"
                );
                return Err(Failure::new(ErrorKind::Conflict, message));
            }
            Err(failure) => return Err(failure.clone()),
            Ok(()) if Instant::now() >= deadline => return Ok(PauseOutcome::Requested),
            Ok(()) => tokio::time::sleep(LOOK).await,
        }
    }
}
