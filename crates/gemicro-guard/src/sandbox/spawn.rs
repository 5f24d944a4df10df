//! Starts processes, the only code of this crate outside `repository::git` that does: planned commands, and the
//! launcher's last step.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[cfg(target_os = "linux")]
use super::control::{Control, StartOrder};
use super::error::SandboxError;
use super::plan::{LaunchPlan, Launcher, SPARE};

impl LaunchPlan {
    /// The plan as a command: with exactly the planned environment, and no input unless the caller sets one.
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
    /// The command of a plan made by [`plan_supervised`](super::plan_supervised), and the channel to the started
    /// process. The caller sets its output streams; the standard input goes through the channel. The started process is
    /// a keeper: end it by closing the channel. A keeper that is killed cannot end anything.
    ///
    /// # Errors
    /// When no channel can be created.
    pub fn supervised_command(&self) -> std::io::Result<(Command, Control)> {
        let (control, theirs) = Control::pair()?;
        let mut command = self.command();
        command.stdin(theirs);
        Ok((command, control))
    }

    /// Gives the plan to a waiting keeper; see [`spare`]. Returns false if the command must be started as usual.
    #[must_use]
    pub fn give_to(&self, control: &Control) -> bool {
        let texts = self.kept.iter().map(|word| word.to_str().map(str::to_owned));
        let Some(command) = texts.collect::<Option<Vec<String>>>() else {
            return false;
        };
        let order = StartOrder {
            tier: self.tier,
            command,
            environment: self.environment.clone(),
            cwd: self.cwd.clone(),
        };
        control.order(&order).is_ok()
    }
}

/// A keeper that waits for a plan, and the channel to it. It has no environment; the caller sets its output streams,
/// which become the command's.
///
/// # Errors
/// When no channel can be created.
#[cfg(target_os = "linux")]
pub fn spare(launcher: &Launcher) -> std::io::Result<(Command, Control)> {
    let (control, theirs) = Control::pair()?;
    let mut command = Command::new(&launcher.program);
    command
        .args(&launcher.arguments)
        .arg(SPARE)
        .env_clear()
        .current_dir("/")
        .stdin(theirs);
    Ok((command, control))
}

/// The command that a keeper starts.
#[cfg(target_os = "linux")]
#[derive(Clone, Copy)]
pub(super) struct KeeperStart<'a> {
    pub(super) command: &'a [OsString],
    /// Its environment and folder; by default those of the keeper.
    pub(super) environment_and_folder: Option<(&'a [(String, String)], &'a Path)>,
}

#[cfg(target_os = "linux")]
impl<'a> KeeperStart<'a> {
    /// Uses the environment and folder of the keeper.
    pub(super) fn here(command: &'a [OsString]) -> Self {
        Self {
            command,
            environment_and_folder: None,
        }
    }
}

/// Starts a child and returns its process id. The caller reaps it by waiting for all children.
#[cfg(target_os = "linux")]
pub(super) fn child(start: KeeperStart<'_>, stdin: std::os::fd::OwnedFd) -> Result<u32, SandboxError> {
    let Some((program, arguments)) = start.command.split_first() else {
        return Err(no_command());
    };
    let mut command = Command::new(program);
    command.args(arguments).stdin(stdin);
    if let Some((environment, cwd)) = start.environment_and_folder {
        let environment = environment.iter().map(|(name, value)| (name, value));
        command.env_clear().envs(environment).current_dir(cwd);
    }
    let child = command.spawn().map_err(|source| SandboxError::Start {
        program: program.into(),
        source,
    })?;
    Ok(child.id())
}

/// Runs a plan to its end and returns the exit code, if there is one.
pub(super) fn exit_code(plan: &LaunchPlan) -> Option<i32> {
    let mut command = plan.command();
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.status().ok()?.code()
}

/// Starts this same program under another name, with the same streams, in a process group; 0 means a new one. The
/// caller reaps it.
#[cfg(target_os = "linux")]
pub(super) fn again(own: &Path, name: &str, arguments: &[OsString], group: i32) -> std::io::Result<u32> {
    use std::os::unix::process::CommandExt;

    let mut command = Command::new(own);
    command.arg0(name).args(arguments).process_group(group);
    Ok(command.spawn()?.id())
}

/// Becomes the command. Returns only on failure.
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

/// Becomes a program under another process name, with these variables set. Returns only on failure.
#[cfg(target_os = "linux")]
pub(super) fn exec_as(
    program: &Path,
    name: &OsStr,
    arguments: impl Iterator<Item = OsString>,
    variables: Vec<(&'static str, PathBuf)>,
) -> SandboxError {
    use std::os::unix::process::CommandExt;

    let mut command = Command::new(program);
    command.arg0(name).args(arguments).envs(variables);
    let source = command.exec();
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
