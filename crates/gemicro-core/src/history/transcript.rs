//! Conversations as JSON lines, one turn a line: `turn, role, text, calls, call, name`.
//!
//! The form in which conversations are exported, imported and kept as fixtures.

use serde::{Deserialize, Serialize};

use super::{AnsweredCall, Author, ConversationLog, ToolCall, Turn};

/// A line could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TranscriptError {
    /// It is not the JSON of a turn.
    #[error("line {line} is not a turn")]
    NotATurn {
        /// Which line, from 1.
        line: usize,
        /// What the JSON reader says.
        #[source]
        source: serde_json::Error,
    },
    /// Its number does not follow the one before.
    #[error("line {line} is turn {found}, expected turn {expected}")]
    OutOfOrder {
        /// Which line, from 1.
        line: usize,
        /// The number on it.
        found: u64,
        /// The number due.
        expected: u64,
    },
}

#[derive(Serialize, Deserialize)]
struct Line {
    turn: u64,
    role: Author,
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
/// When a line is not a turn, or turns are missing or out of order.
pub fn read_transcript(text: &str) -> Result<ConversationLog, TranscriptError> {
    let mut log = ConversationLog::new();
    for (idx, raw) in text.lines().enumerate().filter(|(_, raw)| !raw.trim().is_empty()) {
        let line: Line = serde_json::from_str(raw).map_err(|source| TranscriptError::NotATurn {
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
        log.append(Turn {
            calls: line.calls,
            answers: line.call.map(|call| AnsweredCall {
                call,
                name: line.name.unwrap_or_default(),
            }),
            ..Turn::new(line.role, line.text)
        });
    }
    Ok(log)
}

/// Writes a conversation.
///
/// # Errors
///
/// When a turn cannot be written as JSON, which no turn made by this program is.
pub fn write_transcript(log: &ConversationLog) -> Result<String, serde_json::Error> {
    let mut text = String::new();
    for turn in log.turns() {
        let line = Line {
            turn: turn.number,
            role: turn.author,
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
