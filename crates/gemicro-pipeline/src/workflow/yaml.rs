//! Parses YAML, and reports errors with their position in the file.

use serde::de::DeserializeOwned;

use super::error::WorkflowProblem;

/// Parses a whole text.
pub(super) fn read<T: DeserializeOwned>(text: &str) -> Result<T, WorkflowProblem> {
    serde_saphyr::from_str(text).map_err(|error| {
        let error = error.without_snippet();
        let place = error.location();
        let (line, column) = place.map_or((1, 1), |location| (location.line(), location.column()));
        WorkflowProblem {
            line: line.max(1),
            column: column.max(1),
            key: String::new(),
            message: plain(&error.to_string()),
        }
    })
}

/// Returns the message on one line, without the position, which is already shown.
fn plain(message: &str) -> String {
    let first = message.lines().next().unwrap_or_default();
    let tails = [" at line ", ", line ", ", set DuplicateKeyPolicy"];
    let ends = tails.iter().filter_map(|tail| first.rfind(tail));
    let message = &first[..ends.min().unwrap_or(first.len())];
    match message {
        "invalid u64" | "invalid u32" => "expected a whole number".to_owned(),
        "invalid f64" => "expected a number".to_owned(),
        "unexpected end of input" => {
            "the file is empty: delete it, and `gemicro init` writes a workflow to begin with".to_owned()
        }
        "invalid boolean" => "expected true or false".to_owned(),
        "expected string scalar" => "expected text: put it in quotes".to_owned(),
        other if other.starts_with("duplicate mapping key") => format!("{other}: remove one"),
        other => {
            other
                .replacen("unknown field", "unknown key", 1)
                .replacen("missing field", "missing key", 1)
        }
    }
}
