//! Lines of JSON that name their type: what all streams have in common.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::output::AdapterOutput;
use crate::protocol::LineText;

/// The one field that every event has.
#[derive(Deserialize)]
struct TypedEvent {
    #[serde(rename = "type")]
    kind: String,
}

/// The type of the event in a line; a line without one is kept as it is.
pub(super) fn kind(line: LineText<'_>, out: &mut AdapterOutput) -> Option<String> {
    // Looked at first: reading in vain costs more, and a flood has millions of lines.
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

/// The line as its type has it; one with another shape is kept as it is.
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
