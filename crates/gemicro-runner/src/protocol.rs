//! The interface of adapters: a process's stream as a state machine over lines, without I/O.

use gemicro_event::Failure;

use crate::output::AdapterOutput;
use crate::permission::{PermissionAnswer, PermissionId};
use crate::prompt::AgentPrompt;

/// One line as an adapter sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LineText<'a> {
    /// The line as text; invalid UTF-8 is replaced.
    pub(crate) text: &'a str,
    pub(crate) bytes: &'a [u8],
}

/// How to stop a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cancel {
    /// The process is notified, possibly with the next input; it will answer with an end.
    Notified,
    /// It cannot be notified: end it.
    EndProcess,
}

/// A CLI's stream. The defaults are for a CLI that reads one prompt and accepts no further input.
pub(crate) trait Protocol: Send {
    fn line(&mut self, line: LineText<'_>, out: &mut AdapterOutput);

    /// Sends the messages that open the dialogue.
    fn open(&mut self, _out: &mut AdapterOutput) {}

    /// Sends the next prompt. `None` if that needs a new process.
    fn prompt(&mut self, _prompt: &AgentPrompt, _out: &mut AdapterOutput) -> Option<Result<(), Failure>> {
        None
    }

    /// Whether the next prompt would be sent at once.
    fn is_ready(&self) -> bool {
        false
    }

    /// Answers an open request; returns whether there was one.
    fn answer(&mut self, _id: &PermissionId, _answer: &PermissionAnswer, _out: &mut AdapterOutput) -> bool {
        false
    }

    fn cancel(&mut self, _out: &mut AdapterOutput) -> Cancel {
        Cancel::EndProcess
    }

    /// Handles a moment of silence.
    fn quiet(&mut self, _out: &mut AdapterOutput) {}
}
