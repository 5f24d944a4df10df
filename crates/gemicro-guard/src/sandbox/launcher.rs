//! The launcher: our own binary inside the sandbox, just before it becomes the command.
//!
//! A process of its own, so that the walls are put up in a single thread and by nobody who is still needed.

use std::ffi::OsString;

use super::error::SandboxError;
pub use super::plan::Launch;

/// Puts up the walls and becomes the command. `arguments` are those after the word that makes the binary the
/// launcher: the launch as JSON, `--`, the command. Returns only on failure; the caller reports it and ends
/// with an exit code other than zero, without starting anything.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> SandboxError {
    let mut arguments = arguments.into_iter();
    let text = arguments.next().unwrap_or_default();
    let launch: Launch = match serde_json::from_str(&text.to_string_lossy()) {
        Ok(launch) => launch,
        Err(error) => return error.into(),
    };
    let command: Vec<OsString> = arguments.skip_while(|argument| argument == "--").collect();
    become_command(&launch, &command)
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
    use super::{descriptors, filter, limits, rules};

    descriptors::close_on_exec(launch.profile.network)?;
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
