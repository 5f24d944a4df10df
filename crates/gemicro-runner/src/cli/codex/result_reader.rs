//! Interprets Codex's exit codes and errors.

use gemicro_event::ErrorKind;

use crate::end::ProcessEnd;
use crate::item::TurnEnd;
use crate::judge::{Cause, ResultReader};
use crate::trouble::{Clue, classify};

#[derive(Debug)]
pub(super) struct CodexReading;

impl ResultReader for CodexReading {
    fn name(&self) -> &'static str {
        "Codex"
    }

    fn failed_turn(&self, end: &TurnEnd, _ended: &ProcessEnd<'_>) -> Cause {
        let text = end
            .message
            .as_deref()
            .unwrap_or("the turn failed without an error message");
        let clue = Clue {
            http_status: end.http_status,
            text,
        };
        Cause {
            http_status: clue.status(),
            ..Cause::new(classify(clue), format!("{}: {text}", self.name()))
        }
    }

    fn exit_code(&self, code: i32, ended: &ProcessEnd<'_>) -> Option<Cause> {
        let text = ended.stderr_tail;
        let last_line = text.lines().rev().find(|line| !line.trim().is_empty());
        let words = last_line.map_or("it exited without an error message", str::trim);
        let cause = |kind| Some(Cause::new(kind, format!("{}: {words}", self.name())));
        match code {
            // It did not start a thread, so the one to resume does not exist.
            1 if ended.session.is_resumed() && ended.transcript.session.is_none() => {
                cause(ErrorKind::SessionNotFound)
            }
            1 => cause(classify(Clue {
                http_status: None,
                text,
            })),
            2 => cause(ErrorKind::Internal),
            _ => None,
        }
    }
}
