//! The only place of this crate that starts a process.

use std::process::Stdio;

use gemicro_guard::sandbox::{Control, LaunchPlan};
use tokio::process::{Child, Command};

/// A process that waits for its standard input, and the channel to it.
pub(super) struct Spawned {
    pub(super) child: Child,
    pub(super) control: Control,
}

/// Starts what was planned.
pub(super) fn spawn(plan: &LaunchPlan) -> std::io::Result<Spawned> {
    let (command, control) = plan.supervised()?;
    let child = Command::from(command)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // A keeper must not be killed: it ends everything when the channel closes, and then itself.
        .kill_on_drop(false)
        .spawn()?;
    Ok(Spawned { child, control })
}
