//! Starts processes; the only place in this crate that does.

use std::process::Stdio;

use gemicro_guard::sandbox::{Control, LaunchPlan, Launcher, spare};
use tokio::process::{Child, Command};

/// A process that waits for its standard input, and the channel to it.
#[derive(Debug)]
pub(super) struct SpawnedProcess {
    pub(super) child: Child,
    pub(super) control: Control,
}

/// Starts a keeper that waits for a plan.
pub(super) fn spawn_spare(launcher: &Launcher) -> std::io::Result<SpawnedProcess> {
    let (command, control) = spare(launcher)?;
    start(command, control)
}

/// Starts the planned command.
pub(super) fn spawn(plan: &LaunchPlan) -> std::io::Result<SpawnedProcess> {
    let (command, control) = plan.supervised_command()?;
    start(command, control)
}

fn start(command: std::process::Command, control: Control) -> std::io::Result<SpawnedProcess> {
    let child = Command::from(command)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // A keeper must not be killed: when the channel closes, it ends everything and then itself.
        .kill_on_drop(false)
        .spawn()?;
    Ok(SpawnedProcess { child, control })
}
