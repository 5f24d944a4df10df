//! The only place of this crate that starts a process: a planned command, and the launcher's last step.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};

#[cfg(target_os = "linux")]
use super::control::Control;
use super::error::SandboxError;
use super::plan::LaunchPlan;

impl LaunchPlan {
    /// The plan as a command: with exactly the planned environment, and no input unless the caller gives one.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .current_dir(&self.cwd)
            .stdin(Stdio::null());
        command
    }
}

#[cfg(target_os = "linux")]
impl LaunchPlan {
    /// The command of a plan made by [`plan_supervised`](super::plan_supervised), and the channel to what it
    /// starts. The caller gives it its output streams; the standard input goes through the channel.
    /// What is started is a keeper: end it by closing the channel. A keeper that is killed cannot end anything.
    ///
    /// # Errors
    /// When there is no channel to be had.
    pub fn supervised(&self) -> std::io::Result<(Command, Control)> {
        let (control, theirs) = Control::pair()?;
        let mut command = self.command();
        command.stdin(theirs);
        Ok((command, control))
    }
}

/// Starts a child and gives its number. Whoever calls this collects it by waiting for all children.
#[cfg(target_os = "linux")]
pub(super) fn child(command: &[OsString], stdin: std::os::fd::OwnedFd) -> Result<u32, SandboxError> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(no_command());
    };
    let started = Command::new(program).args(arguments).stdin(stdin).spawn();
    let child = started.map_err(|source| SandboxError::Start {
        program: program.into(),
        source,
    })?;
    Ok(child.id())
}

/// Runs a plan to its end and gives the exit code, if there is one.
pub(super) fn exit_code(plan: &LaunchPlan) -> Option<i32> {
    let mut command = plan.command();
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.status().ok()?.code()
}

/// Becomes the command. Returns only when that is not possible.
#[cfg(target_os = "linux")]
pub(super) fn exec(command: &[OsString]) -> SandboxError {
    use std::os::unix::process::CommandExt;

    let Some((program, arguments)) = command.split_first() else {
        return no_command();
    };
    let source = Command::new(program).args(arguments).exec();
    SandboxError::Start {
        program: program.into(),
        source,
    }
}

#[cfg(target_os = "linux")]
fn no_command() -> SandboxError {
    SandboxError::Start {
        program: PathBuf::new(),
        source: std::io::Error::other("no command"),
    }
}
