//! Interprets Claude Code's exit codes and errors.

use gemicro_event::ErrorKind;

use crate::end::ProcessEnd;
use crate::item::TurnEnd;
use crate::judge::{Cause, ResultReader};
use crate::trouble::{Clue, classify};

#[derive(Debug)]
pub(super) struct ClaudeReading;

impl ResultReader for ClaudeReading {
    fn name(&self) -> &'static str {
        "Claude Code"
    }

    fn failed_turn(&self, end: &TurnEnd, _ended: &ProcessEnd<'_>) -> Cause {
        let text = end.message.as_deref().unwrap_or_default();
        let reason = end.reason.as_deref().unwrap_or_default();
        let kind = match reason {
            "error_max_turns" => ErrorKind::BudgetExceeded,
            "max_tokens" => ErrorKind::TruncatedOutput,
            "refusal" => ErrorKind::Blocked,
            _ if reason.starts_with("aborted") => ErrorKind::Cancelled,
            _ if is_lost_session(text) => ErrorKind::SessionNotFound,
            _ => classify(Clue {
                http_status: end.http_status,
                text,
            }),
        };
        let words = match (text, reason) {
            // Its own message is meant for its developers.
            _ if kind == ErrorKind::Cancelled => "the turn was interrupted",
            ("", "") => "the turn failed without an error message",
            ("", reason) => reason,
            (text, _) => text,
        };
        Cause {
            http_status: end.http_status,
            ..Cause::new(kind, format!("{}: {words}", self.name()))
        }
    }

    fn exit_code(&self, code: i32, ended: &ProcessEnd<'_>) -> Option<Cause> {
        if code != 1 {
            return None;
        }
        // It refused to start: only its standard error says why.
        let text = ended.stderr_tail;
        let lower = text.to_lowercase();
        let kind = if is_lost_session(text) {
            ErrorKind::SessionNotFound
        } else if lower.contains("session id") && lower.contains("already in use") {
            ErrorKind::Conflict
        } else {
            classify(Clue {
                http_status: None,
                text,
            })
        };
        let words = text.lines().rev().find(|line| !line.trim().is_empty());
        let words = words.map_or("it exited with 1", str::trim);
        Some(Cause::new(kind, format!("{}: {words}", self.name())))
    }
}

fn is_lost_session(text: &str) -> bool {
    text.contains("No conversation found with session ID")
}
