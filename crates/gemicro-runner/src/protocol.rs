//! What each adapter implements: one process's stream as a state machine over lines, without I/O.

use gemicro_event::Failure;

use crate::output::AdapterOutput;
use crate::permission::{PermissionAnswer, PermissionId};
use crate::prompt::AgentPrompt;

/// One line as an adapter sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LineText<'a> {
    /// For reading; what was not UTF-8 is replaced.
    pub(crate) text: &'a str,
    pub(crate) bytes: &'a [u8],
}

/// How to stop a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cancel {
    /// The process was told, or will be with the bytes that are due; it answers with an end.
    Notified,
    /// It cannot be told: end it.
    EndProcess,
}

/// A CLI's stream. The defaults are those of a CLI that reads one prompt and cannot be talked to.
pub(crate) trait Protocol: Send {
    fn line(&mut self, line: LineText<'_>, out: &mut AdapterOutput);

    /// Says what has to be said before anything comes.
    fn open(&mut self, _out: &mut AdapterOutput) {}

    /// Says the next prompt. `None` where that takes a new process.
    fn prompt(&mut self, _prompt: &AgentPrompt, _out: &mut AdapterOutput) -> Option<Result<(), Failure>> {
        None
    }

    /// Whether the next prompt would be said at once.
    fn is_ready(&self) -> bool {
        false
    }

    /// Answers an open request; says whether there was one.
    fn answer(&mut self, _id: &PermissionId, _answer: &PermissionAnswer, _out: &mut AdapterOutput) -> bool {
        false
    }

    fn cancel(&mut self, _out: &mut AdapterOutput) -> Cancel {
        Cancel::EndProcess
    }

    /// Nothing came for a moment.
    fn quiet(&mut self, _out: &mut AdapterOutput) {}
}
