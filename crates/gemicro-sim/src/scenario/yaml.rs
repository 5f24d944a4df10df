//! Reads YAML, and says where it is wrong.

use serde::de::DeserializeOwned;

/// What is wrong, and where. Both start at 1.
pub(crate) struct MisplacedKey {
    pub(crate) line: u64,
    pub(crate) column: u64,
    pub(crate) message: String,
}

/// Reads a whole text. `what` is what an empty file should have been.
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

/// The message without the place, which stands before it already, on one line and in the words of the file.
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
