//! Parses YAML, and reports the position of errors.

use serde::de::DeserializeOwned;

/// An error and its position; line and column start at 1.
pub(crate) struct MisplacedKey {
    pub(crate) line: u64,
    pub(crate) column: u64,
    pub(crate) message: String,
}

/// Parses a whole text. `what` is what an empty file should have been.
pub(crate) fn parse<T: DeserializeOwned>(text: &str, what: &str) -> Result<T, MisplacedKey> {
    serde_saphyr::from_str(text).map_err(|error| {
        let error = error.without_snippet();
        let (line, column) = error
            .location()
            .map_or((1, 1), |location| (location.line(), location.column()));
        MisplacedKey {
            line,
            column,
            message: plain(&error.to_string(), what),
        }
    })
}

/// Returns the message on one line, without the position, which is already shown, and in the file's terms.
fn plain(message: &str, what: &str) -> String {
    let first = message.lines().next().unwrap_or_default();
    let end = [" at line ", ", line ", ", set DuplicateKeyPolicy"]
        .iter()
        .filter_map(|tail| first.rfind(tail))
        .min()
        .unwrap_or(first.len());
    match &first[..end] {
        "invalid u64" | "invalid usize" | "invalid u16" | "invalid u8" => {
            "expected a whole number".to_owned()
        }
        "invalid f64" => "expected a number".to_owned(),
        "unexpected end of input" => format!("the file is empty: expected {what}"),
        other => other.to_owned(),
    }
}
