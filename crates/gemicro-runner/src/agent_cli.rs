//! The interface to a coding-agent CLI.
//!
//! The main trait is [`AgentCli`]. It is pure: it defines how to start the CLI, how to talk to it and how to judge its
//! output. The supervisor starts, watches and ends processes.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use gemicro_event::{ErrorKind, Failure};
use serde::{Deserialize, Serialize};

use crate::dialogue::Dialogue;
use crate::end::{AgentEnd, ProcessEnd};
use crate::invocation::Invocation;
use crate::request::AgentRequest;
use crate::version::Version;

/// The supported CLIs and modes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CliKind {
    /// Gemini CLI, one process per prompt.
    Gemini,
    /// Gemini CLI as a long-running process over the Agent Client Protocol.
    GeminiAcp,
    /// Claude Code, a process that reads prompts as JSON lines.
    Claude,
    /// Codex CLI, one process per prompt.
    Codex,
}

/// A coding-agent CLI: how to start it, and what its output means.
pub trait AgentCli: fmt::Debug + Send + Sync {
    /// Which CLI this adapter is for.
    fn kind(&self) -> CliKind;

    /// Name of the program in the `PATH`, such as `claude`.
    fn program(&self) -> &'static str;

    /// The oldest supported version.
    fn minimum_version(&self) -> Version;

    /// The command that installs it, shown to users.
    fn install_command(&self) -> &'static str;

    /// Returns how to start it.
    ///
    /// # Errors
    /// `invalid_input` for a request that it does not support; `sandbox_unavailable` if its own sandbox could not work.
    fn invocation(&self, request: &AgentRequest) -> Result<Invocation, Failure>;

    /// Creates the dialogue with the process that [`AgentCli::invocation`] starts.
    ///
    /// # Errors
    /// `invalid_input` for an unsupported prompt.
    fn dialogue(&self, request: &AgentRequest) -> Result<Dialogue, Failure>;

    /// Judges a turn. Success needs content and a proper end; everything else is a failure with its kind, and with a
    /// wait if the CLI says when a limit ends.
    ///
    /// # Errors
    /// Why it failed.
    fn judge(&self, ended: &ProcessEnd<'_>) -> Result<AgentEnd, Failure>;

    /// Returns the CLI itself, to keep next to a process that takes several prompts; `None` if a process takes only
    /// one.
    fn warm(&self) -> Option<Arc<dyn AgentCli>> {
        None
    }

    /// Returns the version in the output of `--version`, if it is new enough.
    ///
    /// # Errors
    /// `command_not_found` when it is too old or prints no version.
    fn check_version(&self, printed: &str) -> Result<Version, Failure> {
        let (program, minimum) = (self.program(), self.minimum_version());
        let wrong = |what: String| {
            let message = format!(
                "{what}; gemicro needs {minimum} or newer: {}",
                self.install_command()
            );
            Failure::new(ErrorKind::CommandNotFound, message)
        };
        match Version::find(printed) {
            Some(version) if version >= minimum => Ok(version),
            Some(version) => Err(wrong(format!("{program} {version} is too old"))),
            None => Err(wrong(format!("`{program} --version` printed no version"))),
        }
    }
}

/// Returns the program to start: the requested one, or the CLI's default.
pub(crate) fn program(cli: &dyn AgentCli, request: &AgentRequest) -> PathBuf {
    request
        .program
        .clone()
        .unwrap_or_else(|| PathBuf::from(cli.program()))
}
