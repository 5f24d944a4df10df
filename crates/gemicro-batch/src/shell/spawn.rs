//! Starts processes; no other module of this crate does.

use std::process::Stdio;

use gemicro_guard::sandbox::{Control, LaunchPlan};
use tokio::process::{Child, Command};

/// Starts the planned command. It waits for its standard input, which is sent through the channel.
pub(super) fn spawn(plan: &LaunchPlan) -> std::io::Result<(Child, Control)> {
    let (command, control) = plan.supervised_command()?;
    let child = Command::from(command)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // Do not kill the supervisor: when the channel closes, it ends everything and then itself.
        .kill_on_drop(false)
        .spawn()?;
    Ok((child, control))
}
