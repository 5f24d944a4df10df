//! Conversations as JSON lines, one turn per line: `turn, role, kind, text, calls, call, name`.
//!
//! Unknown fields are ignored. This is the format of exported and imported conversations and of fixtures.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{AnsweredCall, Author, ConversationLog, ToolCall, Turn, TurnKind};

/// A line could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum TranscriptError {
    /// It is not the JSON of a turn.
    #[error("line {line} is not a turn")]
    NotATurn {
        /// Line number, from 1.
        line: usize,
        /// The error of the JSON parser.
        #[source]
        source: serde_json::Error,
    },
    /// Its number does not follow the one before.
    #[error("line {line} is turn {found}, expected turn {expected}")]
    OutOfOrder {
        /// Line number, from 1.
        line: usize,
        /// The number in the line.
        found: u64,
        expected: u64,
    },
    /// Two calls have the same id, so an answer could be to either.
    #[error("line {line} makes a call `{call}`, and so did line {before}")]
    CallTwice {
        /// Line number, from 1.
        line: usize,
        call: String,
        /// The first line with this id.
        before: usize,
    },
    /// It answers a call that does not exist or was answered before.
    #[error("line {line} answers the call `{call}`, but no such call is open")]
    NoSuchCall {
        /// Line number, from 1.
        line: usize,
        call: String,
    },
    /// A call has no answer and is not marked as still running.
    #[error("line {line} makes a call `{call}` that is never answered and not marked `\"open\": true`")]
    Unanswered {
        /// Line number, from 1.
        line: usize,
        call: String,
    },
}

impl TranscriptError {
    /// Number of the line with the error, from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        match self {
            Self::NotATurn { line, .. }
            | Self::OutOfOrder { line, .. }
            | Self::CallTwice { line, .. }
            | Self::NoSuchCall { line, .. }
            | Self::Unanswered { line, .. } => *line,
        }
    }
}

#[derive(Serialize, Deserialize)]
struct Line {
    turn: u64,
    role: Author,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    kind: Option<TurnKind>,
    text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    calls: Vec<ToolCall>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    call: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

/// Reads a conversation. Empty lines are skipped.
///
/// # Errors
///
/// When a line is not a turn, turns are missing or out of order, or calls and answers do not match.
pub fn read_transcript(text: &str) -> Result<ConversationLog, TranscriptError> {
    let mut log = ConversationLog::new();
    let mut calls = Calls::default();
    for (idx, raw) in text.lines().enumerate().filter(|(_, raw)| !raw.trim().is_empty()) {
        let line = read_line(raw).map_err(|source| TranscriptError::NotATurn {
            line: idx + 1,
            source,
        })?;
        let expected = log.len() + 1;
        if line.turn != expected {
            return Err(TranscriptError::OutOfOrder {
                line: idx + 1,
                found: line.turn,
                expected,
            });
        }
        calls.check(idx + 1, &line)?;
        log.append(Turn {
            calls: line.calls,
            answers: line.call.map(|call| AnsweredCall {
                call,
                name: line.name.unwrap_or_default(),
            }),
            kind: line.kind.unwrap_or_else(|| line.role.usual_kind()),
            ..Turn::new(line.role, line.text)
        });
    }
    calls.check_end()?;
    Ok(log)
}

/// Parses an object; serde would also accept an array of the fields.
fn read_line(raw: &str) -> Result<Line, serde_json::Error> {
    if !raw.trim_start().starts_with('{') {
        serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(raw)?;
    }
    serde_json::from_str(raw)
}

/// Writes a conversation.
///
/// # Errors
///
/// When a turn cannot be serialized as JSON; that never happens for turns made by this program.
pub fn write_transcript(log: &ConversationLog) -> Result<String, serde_json::Error> {
    let mut text = String::new();
    for turn in log.turns() {
        let line = Line {
            turn: turn.number,
            role: turn.author,
            kind: Some(turn.kind).filter(|kind| *kind != turn.author.usual_kind()),
            text: turn.text.clone(),
            calls: turn.calls.clone(),
            call: turn.answers.as_ref().map(|answered| answered.call.clone()),
            name: turn
                .answers
                .as_ref()
                .map(|answered| answered.name.clone())
                .filter(|name| !name.is_empty()),
        };
        text.push_str(&serde_json::to_string(&line)?);
        text.push('\n');
    }
    Ok(text)
}

/// The calls so far.
#[derive(Default)]
struct Calls {
    /// The line of each call.
    made: BTreeMap<String, usize>,
    /// Calls without an answer; `true` if the call may stay open.
    waiting: BTreeMap<String, bool>,
}

impl Calls {
    fn check(&mut self, number: usize, line: &Line) -> Result<(), TranscriptError> {
        if let Some(call) = &line.call
            && self.waiting.remove(call).is_none()
        {
            return Err(TranscriptError::NoSuchCall {
                line: number,
                call: call.clone(),
            });
        }
        for call in &line.calls {
            if let Some(before) = self.made.insert(call.id.clone(), number) {
                return Err(TranscriptError::CallTwice {
                    line: number,
                    call: call.id.clone(),
                    before,
                });
            }
            self.waiting.insert(call.id.clone(), call.open);
        }
        Ok(())
    }

    fn check_end(&self) -> Result<(), TranscriptError> {
        match self.waiting.iter().find(|(_, may_stay)| !**may_stay) {
            None => Ok(()),
            Some((call, _)) => Err(TranscriptError::Unanswered {
                line: self.made.get(call).copied().unwrap_or_default(),
                call: call.clone(),
            }),
        }
    }
}
