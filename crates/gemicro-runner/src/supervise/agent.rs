//! An agent process with its streams and protocol, which outlast a turn.

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{ChildStderr, ChildStdout};

use super::feed::Feed;
use super::process::{ExitReport, Process, StartedProcess};
use crate::dialogue::Dialogue;
use crate::invocation::CliInput;

/// Buffer sizes for reading.
pub(super) const STDOUT_BYTES: usize = 32 * 1024;
pub(super) const STDERR_BYTES: usize = 8 * 1024;

/// A running process. Dropping it ends it and its descendants.
pub(super) struct AgentProcess {
    pub(super) process: Process,
    pub(super) feed: Feed,
    pub(super) dialogue: Dialogue,
    /// `None` at the end of the stream.
    pub(super) stdout: Option<ChildStdout>,
    /// `None` at the end of the stream.
    pub(super) stderr: Option<ChildStderr>,
    /// How the process ended, if it has.
    pub(super) exited: Option<ExitReport>,
    /// The processes of the CLI itself; any other process after a turn was left by a tool.
    pub(super) kin: Vec<u32>,
    /// Cost of its earlier turns, because some CLIs count from the start of the process.
    pub(super) cost_micro_usd: u64,
}

impl AgentProcess {
    pub(super) fn new(started: StartedProcess, stdin: CliInput, dialogue: Dialogue) -> Self {
        Self {
            process: started.process,
            feed: Feed::new(started.stdin, stdin),
            dialogue,
            stdout: Some(started.stdout),
            stderr: Some(started.stderr),
            exited: None,
            kin: Vec::new(),
            cost_micro_usd: 0,
        }
    }

    /// Whether it can take a prompt: it is running, reads input, owes no answer, and has printed nothing unexpected.
    pub(super) fn is_fit(&self) -> bool {
        self.exited.is_none()
            && self.stdout.is_some()
            && self.feed.is_open()
            && self.dialogue.is_ready()
            && !self.dialogue.spoke_out_of_turn()
    }

    /// Records its processes at its first output: they are all running, and no tool is yet.
    pub(super) fn note_kin(&mut self) {
        if self.kin.is_empty() {
            self.kin = self.process.descendants();
        }
    }

    /// Whether a tool of a turn still runs.
    pub(super) fn has_leftovers(&self) -> bool {
        let running = self.process.descendants();
        running.iter().any(|pid| !self.kin.contains(pid))
    }

    /// Number of processes left after the end. `None` before the end, or if it cannot be determined.
    pub(super) fn survivors(&self) -> Option<u32> {
        self.process.survivors(self.exited.as_ref()?)
    }
}

/// Reads once; 0 means the end or an error.
pub(super) async fn read<R: AsyncRead + Unpin>(stream: &mut Option<R>, buffer: &mut [u8]) -> usize {
    match stream {
        Some(stream) => stream.read(buffer).await.unwrap_or(0),
        None => std::future::pending().await,
    }
}
