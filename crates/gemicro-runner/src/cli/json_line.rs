//! Reads JSON lines with a type field, as in all streams.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::output::AdapterOutput;
use crate::protocol::LineText;

/// The field that every event has.
#[derive(Deserialize)]
struct TypedEvent {
    #[serde(rename = "type")]
    kind: String,
}

/// Returns the type of a line's event; a line without one is kept as a raw line.
pub(super) fn kind(line: LineText<'_>, out: &mut AdapterOutput) -> Option<String> {
    // A cheap check first, because parsing is slow and a flood may have millions of lines.
    if !line.text.trim_start().starts_with('{') {
        out.not_json(line.bytes);
        return None;
    }
    match serde_json::from_str::<TypedEvent>(line.text) {
        Ok(typed) => Some(typed.kind),
        Err(_) => {
            out.not_json(line.bytes);
            None
        }
    }
}

/// Parses a line; a malformed one is kept as a raw line.
pub(super) fn parse<T: DeserializeOwned>(
    kind: &str,
    line: LineText<'_>,
    out: &mut AdapterOutput,
) -> Option<T> {
    match serde_json::from_str(line.text) {
        Ok(event) => Some(event),
        Err(_) => {
            out.malformed(kind, line.bytes);
            None
        }
    }
}
