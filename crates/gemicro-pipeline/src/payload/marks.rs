//! Determines which later rules refuse a parsed payload.
//!
//! The main type is [`PayloadMarks`]. A payload without marks is still only a vote: evidence decides.

use super::backlog::needs_cleaning;
use super::document_path::DocumentPath;
use super::honesty::honesty;
use super::payload_reading::PayloadReading;

/// For each later rule, whether a payload violates it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PayloadMarks {
    /// Refuse: an untagged APPROVE or PASS never opens a gate.
    pub gate: bool,
    /// Refuse: the path of its document is not allowed.
    pub path: bool,
    /// Refuse: success or PASS, but the feedback reports an unresolved crash or error.
    pub honesty: bool,
    /// Clean: a backlog item cannot be used unchanged.
    pub backlog: bool,
}

/// Judges a parsed answer; without a payload there are no marks.
#[must_use]
pub fn marks(reading: &PayloadReading) -> PayloadMarks {
    let Some(payload) = &reading.payload else {
        return PayloadMarks::default();
    };
    PayloadMarks {
        gate: !reading.tagged && payload.decision().is_positive(),
        path: payload
            .document()
            .is_some_and(|path| DocumentPath::parse(path).is_err()),
        honesty: honesty(payload).is_some(),
        backlog: needs_cleaning(&payload.backlog_items()),
    }
}
