//! The launcher: gemicro's own binary inside the sandbox, just before it becomes the command.
//!
//! It is a separate process, so that the restrictions are applied in a single thread and to no process that is still
//! needed. The same binary is the keeper where one is needed; see [`ProcessRole`].

use std::ffi::{OsStr, OsString};

use super::error::SandboxError;
pub use super::plan::{Launch, ProcessRole};
#[cfg(target_os = "linux")]
use super::profile::Network;
#[cfg(target_os = "linux")]
use super::tier::Tier;

/// Must be called first: inside a sandbox this binary replaces every shell, and becomes it in its own Landlock domain.
/// `home` is the value of `HOME`. `None` for any other start; the caller reports a failure like one of [`run`].
pub fn shell(home: Option<&OsStr>) -> Option<SandboxError> {
    #[cfg(target_os = "linux")]
    return super::shells::become_shell(home);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = home;
        None
    }
}

/// Applies the restrictions and becomes the command. `arguments` are those after the word that makes the binary the
/// launcher: the launch as JSON, `--`, the command. Returns only on failure; the caller reports it and exits with a
/// code other than zero, without starting anything.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> SandboxError {
    let mut arguments = arguments.into_iter();
    let text = arguments.next().unwrap_or_default();
    #[cfg(target_os = "linux")]
    if text == super::plan::SPARE {
        return super::keeper::wait();
    }
    #[cfg(target_os = "linux")]
    if text == super::plan::DEVICES {
        let command: Vec<OsString> = arguments.skip_while(|argument| argument == "--").collect();
        return super::devices::run(&command);
    }
    let launch: Launch = match serde_json::from_str(&text.to_string_lossy()) {
        Ok(launch) => launch,
        Err(error) => return error.into(),
    };
    let command: Vec<OsString> = arguments.skip_while(|argument| argument == "--").collect();
    match launch.role {
        ProcessRole::Alone => become_command(&launch, &command),
        #[cfg(target_os = "linux")]
        ProcessRole::Handed => become_handed(&launch, &command),
        #[cfg(target_os = "linux")]
        ProcessRole::Keeper => super::keeper::run(launch.tier, &command),
        #[cfg(not(target_os = "linux"))]
        ProcessRole::Handed | ProcessRole::Keeper => become_command(&launch, &command),
    }
}

/// Takes the standard input from gemicro first, and reports if nothing was started.
#[cfg(target_os = "linux")]
fn become_handed(launch: &Launch, command: &[OsString]) -> SandboxError {
    let control = match super::control::ControlPeer::from_stdin() {
        Ok(control) => control,
        Err(error) => return SandboxError::wall_refused("the channel to gemicro", error),
    };
    let error = match hand_over(launch, &control) {
        Ok(()) => become_command(launch, command),
        Err(error) => SandboxError::wall_refused("passing standard input", error),
    };
    control.report_failure((&error).into(), &error.with_sources());
    error
}

#[cfg(target_os = "linux")]
fn hand_over(launch: &Launch, control: &super::control::ControlPeer) -> std::io::Result<()> {
    let listener = match (launch.tier, launch.profile.network) {
        (Tier::Full, Network::Gateway { port }) => Some(super::gateway::listen_inside(port)?),
        (_, Network::None | Network::Gateway { .. } | Network::Open) => None,
    };
    let stdin = control.ready(listener)?;
    Ok(rustix::stdio::dup2_stdin(stdin)?)
}

#[cfg(target_os = "linux")]
fn become_command(launch: &Launch, command: &[OsString]) -> SandboxError {
    match walls(launch) {
        Ok(()) => super::spawn::exec(command),
        Err(error) => error,
    }
}

#[cfg(target_os = "linux")]
fn walls(launch: &Launch) -> Result<(), SandboxError> {
    use super::{descriptors, filter, limits, rules, shells};

    descriptors::close_on_exec()?;
    // Without a sandbox there is only a keeper; the command is the user's own.
    if launch.tier == Tier::None {
        return Ok(());
    }
    shells::tell(launch)?;
    limits::apply(launch)?;
    rules::apply(launch)?;
    filter::apply(launch)
}

#[cfg(not(target_os = "linux"))]
fn become_command(launch: &Launch, _command: &[OsString]) -> SandboxError {
    SandboxError::Unavailable {
        mode: launch.profile.mode,
    }
}
