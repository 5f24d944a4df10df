//! How a turn of an agent ended, with everything that is known about it.

use std::path::PathBuf;

use gemicro_event::{Failure, Usage};
use gemicro_guard::sandbox::{CommandExit, NetworkReach, ProcessHandle, Tier};
use serde::Serialize;

use crate::end::AgentEnd;
use crate::item::UsageScope;
use crate::session::SessionId;

/// The end of a turn: judged, and recorded. Secrets that were named are taken out of all of it.
#[derive(Debug, Clone)]
pub struct TurnOutcome {
    /// The answer, or why there is none.
    pub result: Result<AgentEnd, Failure>,
    /// What is known about the run in either case.
    pub record: RunRecord,
}

/// What is known about a run, whether it succeeded, failed or never started.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RunRecord {
    /// The process, while it ran; `None` when none was started.
    pub handle: Option<ProcessHandle>,
    /// The walls around it.
    pub tier: Option<Tier>,
    /// What it could reach over the network.
    pub reach: Option<NetworkReach>,
    /// Paths that should have been pinned and did not exist.
    pub unpinned: Vec<PathBuf>,
    /// How it ended, also when we ended it.
    pub exit: Option<CommandExit>,
    /// Processes that were left at the end: 0, unless the system refused to end one. `None` when nothing was
    /// started, when the process stays for another turn, or when it could not be verified.
    pub survivors: Option<u32>,
    /// Whether the prompt has had no effect that could be seen: no word was said, no tool was used, no end was told.
    /// The turn may then be done elsewhere without doing its work twice.
    pub untouched: bool,
    /// Its session, if it named one.
    pub session: Option<SessionId>,
    /// Tokens used so far.
    pub usage: Option<Usage>,
    /// Whether `usage` counts the turn or the session; set where `usage` is.
    pub usage_scope: Option<UsageScope>,
    /// What the agent had said, success or not.
    pub partial_text: String,
    /// The last lines of its output, at most 20, without terminal escapes.
    pub last_lines: Vec<String>,
    /// Size and file of its standard output.
    pub stdout: StreamRecord,
    /// Size and file of its standard error.
    pub stderr: StreamRecord,
    /// From the call to the start of the process; 0 where it was there already.
    pub start_ms: u64,
    /// From there to the first output of the turn.
    pub first_output_ms: Option<u64>,
    /// From the call to its return.
    pub duration_ms: u64,
}

impl RunRecord {
    /// What is still true of the process before its next turn.
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

/// What became of one stream.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct StreamRecord {
    /// Bytes that were read.
    pub n_bytes: u64,
    /// Bytes of the redacted text that are not in the file, for want of room or because it could not be written.
    pub n_dropped: u64,
    /// The file that holds the start and the end of the stream. That of standard error is made only when something
    /// comes.
    pub file: Option<PathBuf>,
}
