//! Which later rules speak against a payload that was read.
//!
//! The main type is [`PayloadMarks`]. A payload without marks is still only a vote: evidence decides.

use super::backlog::needs_cleaning;
use super::document_path::DocumentPath;
use super::honesty::honesty;
use super::payload_reading::PayloadReading;

/// Says for each later rule whether it has something against a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PayloadMarks {
    /// Refuse: an untagged APPROVE or PASS never opens a gate.
    pub gate: bool,
    /// Refuse: the path of its document is none that may be opened.
    pub path: bool,
    /// Refuse: success or PASS, while the feedback tells of a crash or an error that is not solved.
    pub honesty: bool,
    /// Clean: an item for the backlog cannot be taken over as it is.
    pub backlog: bool,
}

/// Judges what was read; without a payload there is nothing to mark.
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
