//! The only place of this crate that starts a process.

use std::process::Stdio;

use gemicro_guard::sandbox::{Control, LaunchPlan};
use tokio::process::{Child, Command};

/// Starts what was planned. It waits for its standard input, which goes through the channel.
pub(super) fn spawn(plan: &LaunchPlan) -> std::io::Result<(Child, Control)> {
    let (command, control) = plan.supervised_command()?;
    let child = Command::from(command)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // A keeper must not be killed: it ends everything when the channel closes, and then itself.
        .kill_on_drop(false)
        .spawn()?;
    Ok((child, control))
}
