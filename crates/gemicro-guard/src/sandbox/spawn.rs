//! The only place of this crate that starts a process: a planned command, and the launcher's last step.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};

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
        let source = std::io::Error::other("no command");
        return SandboxError::Start {
            program: PathBuf::new(),
            source,
        };
    };
    let source = Command::new(program).args(arguments).exec();
    SandboxError::Start {
        program: program.into(),
        source,
    }
}
