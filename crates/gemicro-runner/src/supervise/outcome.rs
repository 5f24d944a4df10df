//! The outcome of an agent's turn, with everything known about it.

use std::path::PathBuf;

use gemicro_event::{Failure, Usage};
use gemicro_guard::sandbox::{CommandExit, NetworkReach, ProcessHandle, Tier};
use serde::Serialize;

use crate::end::AgentEnd;
use crate::item::UsageScope;
use crate::session::SessionId;

/// The outcome of a turn: judged and recorded. Known secrets are removed from all of it.
#[derive(Debug, Clone)]
pub struct TurnOutcome {
    /// The answer, or why there is none.
    pub result: Result<AgentEnd, Failure>,
    /// Everything known about the run in either case.
    pub record: RunRecord,
}

/// Everything known about a run, whether it succeeded, failed or never started.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RunRecord {
    /// The process; `None` if none was started.
    pub handle: Option<ProcessHandle>,
    /// The sandbox level.
    pub tier: Option<Tier>,
    /// Its network access.
    pub reach: Option<NetworkReach>,
    /// Paths that should have been pinned but did not exist.
    pub unpinned: Vec<PathBuf>,
    /// How it ended, even if we ended it.
    pub exit: Option<CommandExit>,
    /// Number of processes left at the end: 0, unless the system refused to end one. `None` if nothing was started, if
    /// the process stays for another turn, or if it could not be verified.
    pub survivors: Option<u32>,
    /// Whether the prompt had no visible effect: no text, no tool call, no end. Then the turn can safely be repeated
    /// elsewhere.
    pub untouched: bool,
    /// Its session, if reported.
    pub session: Option<SessionId>,
    /// Tokens used so far.
    pub usage: Option<Usage>,
    /// Whether `usage` covers the turn or the session; set if `usage` is.
    pub usage_scope: Option<UsageScope>,
    /// The agent's text so far, whether it succeeded or not.
    pub partial_text: String,
    /// The last lines of its output, at most 20, without terminal escapes.
    pub last_lines: Vec<String>,
    /// Size and file of its standard output.
    pub stdout: StreamRecord,
    /// Size and file of its standard error.
    pub stderr: StreamRecord,
    /// Time from the call to the start of the process; 0 if it was already running.
    pub start_ms: u64,
    /// Time from there to the first output of the turn.
    pub first_output_ms: Option<u64>,
    /// Time from the call to its return.
    pub duration_ms: u64,
}

impl RunRecord {
    /// Returns the fields that stay true for the process's next turn.
    pub(super) fn of_process(&self) -> Self {
        Self {
            handle: self.handle.clone(),
            tier: self.tier,
            reach: self.reach,
            unpinned: self.unpinned.clone(),
            session: self.session.clone(),
            untouched: true,
            ..Self::default()
        }
    }
}

/// The record of one stream.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct StreamRecord {
    /// Number of bytes read.
    pub n_bytes: u64,
    /// Number of bytes of redacted text that are missing in the file, because of its limit or a write error.
    pub n_dropped: u64,
    /// The file with the start and the end of the stream. For standard error, it is only created if there is output.
    pub file: Option<PathBuf>,
}
