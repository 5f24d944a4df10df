//! Removes from a journal what differs between two runs of the same request: ids, times, amounts and paths.

use serde_json::{Map, Value};

/// Fields whose values are measured or chosen anew in each run.
const VARIABLE_FIELDS: &[&str] = &[
    "attempt",
    "at",
    "bytes",
    "charge",
    "charged",
    "cost",
    "elapsed",
    "handle",
    "interaction_id",
    "nonce",
    "pid",
    "program",
    "seq",
    "session",
    "spent",
    "stats",
    "timestamp",
    "transport",
    "uncertain",
    "usage",
];
const VARIABLE_ENDINGS: &[&str] = &["_at", "_ms", "_usd", "_tokens", "_seconds", "tokens_used"];

pub(crate) fn normalise(value: &Value, folder: &str) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(name, _)| !is_variable(name));
            let fields = fields.map(|(name, value)| (normalise_text(name, folder), normalise(value, folder)));
            Value::Object(fields.collect::<Map<_, _>>())
        }
        Value::Array(values) => values.iter().map(|value| normalise(value, folder)).collect(),
        Value::String(text) => Value::String(normalise_text(text, folder)),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

fn is_variable(name: &str) -> bool {
    VARIABLE_FIELDS.contains(&name) || VARIABLE_ENDINGS.iter().any(|ending| name.ends_with(ending))
}

/// Replaces the folder of the scenario, ids and hashes.
pub(crate) fn normalise_text(text: &str, folder: &str) -> String {
    let text = text.replace(folder, "FOLDER");
    let mut result = String::with_capacity(text.len());
    let mut word = String::new();
    for letter in text.chars() {
        if letter.is_ascii_alphanumeric() {
            word.push(letter);
        } else {
            result.push_str(replacement(&word));
            word.clear();
            result.push(letter);
        }
    }
    result.push_str(replacement(&word));
    result
}

fn replacement(word: &str) -> &str {
    let has_digit = word.bytes().any(|byte| byte.is_ascii_digit());
    let is_lower = word.bytes().all(|byte| !byte.is_ascii_uppercase());
    let is_hex = word.bytes().all(|byte| byte.is_ascii_hexdigit());
    // Ids have 16 letters and digits, the starts of hashes at least 7.
    match has_digit && is_lower && (word.len() == 16 || (is_hex && word.len() >= 7)) {
        true => "ID",
        false => word,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ids_times_and_paths_do_not_count() {
        let event = json!({
            "stream": "0v2c7qwq2vcmsrne", "seq": 3, "timestamp": "2026-11-18T01:59:05.012Z",
            "data": { "answer": "31 metres", "duration_ms": 12, "commit": "5ded9ec1aa", "file": "/tmp/x/a.md" },
        });
        let expected = json!({ "stream": "ID", "data": { "answer": "31 metres", "commit": "ID", "file": "FOLDER/a.md" } });
        assert_eq!(normalise(&event, "/tmp/x"), expected);
        assert_eq!(normalise_text("sub-query 1 of 31", "/tmp/x"), "sub-query 1 of 31");
    }
}
