//! Sends a command to a run and waits for its driver.

use std::time::Duration;

use gemicro_core::command::{AckStatus, AgentCommand};
use gemicro_event::{ErrorKind, Failure, StreamId};

use crate::run_service::RunService;

/// Maximum time to wait for the process that drives the run.
const WAIT: Duration = Duration::from_secs(10);
/// Polling interval for the acknowledgement.
const LOOK: Duration = Duration::from_millis(20);

/// Sends a command and waits until the run's driver has executed it.
///
/// # Errors
/// `conflict` with the reason if it is rejected; `still_running` if no process drives the run: it is then executed when
/// the run is resumed.
pub async fn tell(desk: &dyn RunService, run: &StreamId, command: AgentCommand) -> Result<(), Failure> {
    let id = command.command_id.clone();
    desk.send(run, command).await?;
    let deadline = tokio::time::Instant::now() + WAIT;
    loop {
        let ack = desk.acknowledgement(run, &id).await?;
        match ack.filter(|ack| ack.status != AckStatus::Accepted) {
            Some(ack) if ack.status == AckStatus::Rejected => {
                let reason = ack.data.get("reason").and_then(|it| it.as_str());
                return Err(Failure::new(ErrorKind::Conflict, reason.unwrap_or_default()));
            }
            Some(_) => return Ok(()),
            None if tokio::time::Instant::now() >= deadline => {
                let message = format!(
                    "no process drives run {run} now; the command is carried out when the run is resumed"
                );
                return Err(Failure::new(ErrorKind::StillRunning, message));
            }
            None => tokio::time::sleep(LOOK).await,
        }
    }
}
