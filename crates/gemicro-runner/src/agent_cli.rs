//! The port: what gemicro needs to know about a coding-agent CLI to work with it.
//!
//! The main trait is [`AgentCli`]. It is pure: it says how to start, speak, listen and judge; starting,
//! watching and ending processes is the supervisor's business.

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

/// The ways to work with a CLI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CliKind {
    /// Gemini CLI, one process per prompt.
    Gemini,
    /// Gemini CLI as a warm process over the Agent Client Protocol.
    GeminiAcp,
    /// Claude Code, one process that takes prompts as JSON lines.
    Claude,
    /// Codex CLI, one process per prompt.
    Codex,
}

/// A coding-agent CLI: how it is started, and what its output means.
pub trait AgentCli: fmt::Debug + Send + Sync {
    /// Which CLI this adapter is for.
    fn kind(&self) -> CliKind;

    /// Name of the program in the `PATH`, such as `claude`.
    fn program(&self) -> &'static str;

    /// The oldest version that is known to work.
    fn minimum_version(&self) -> Version;

    /// The command that installs it, for people.
    fn install_command(&self) -> &'static str;

    /// How to start it.
    ///
    /// # Errors
    /// `invalid_input` for a request it cannot be told; `sandbox_unavailable` where its own sandbox could not
    /// work.
    fn invocation(&self, request: &AgentRequest) -> Result<Invocation, Failure>;

    /// How to speak with the process that [`AgentCli::invocation`] starts.
    ///
    /// # Errors
    /// `invalid_input` for a prompt it cannot be told.
    fn dialogue(&self, request: &AgentRequest) -> Result<Dialogue, Failure>;

    /// Whether a turn succeeded. Success has content and a proper end; everything else is a failure with its
    /// kind, and with a wait where the CLI named the end of a limit.
    ///
    /// # Errors
    /// Why it failed.
    fn judge(&self, ended: &ProcessEnd<'_>) -> Result<AgentEnd, Failure>;

    /// Itself, to be kept beside a process that takes one prompt after the other; `None` where a process takes one
    /// prompt only.
    fn warm(&self) -> Option<Arc<dyn AgentCli>> {
        None
    }

    /// The version in what it prints for `--version`, when that is new enough.
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

/// The program to start: the one asked for, or the CLI's own name.
pub(crate) fn program(cli: &dyn AgentCli, request: &AgentRequest) -> PathBuf {
    request
        .program
        .clone()
        .unwrap_or_else(|| PathBuf::from(cli.program()))
}
