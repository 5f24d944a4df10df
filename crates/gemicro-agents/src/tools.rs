//! Describes what a tool is to do, for people.

use gemicro_event::Json;
use gemicro_event::text;

/// Maximum length of a line about a tool, in characters.
const LINE_CHARS: usize = 200;

/// Arguments that describe a call best, in order of preference.
const TELLING: [&str; 8] = [
    "command",
    "cmd",
    "file_path",
    "absolute_path",
    "path",
    "pattern",
    "query",
    "url",
];

/// What a tool is to do: its most informative argument, its title, or all arguments. A title may be the model's own
/// text, so the actual argument comes first.
pub(super) fn what(title: Option<&str>, input: &Json) -> String {
    for name in TELLING {
        match input.get(name) {
            Some(serde_json::Value::String(text)) => return text.clone(),
            Some(serde_json::Value::Array(words)) => {
                let words: Vec<&str> = words.iter().filter_map(serde_json::Value::as_str).collect();
                return words.join(" ");
            }
            Some(_) | None => {}
        }
    }
    if let Some(title) = title.filter(|title| !title.trim().is_empty()) {
        return title.to_owned();
    }
    match input.text() {
        "{}" | "null" => String::new(),
        text => text.to_owned(),
    }
}

/// A text as one line of bounded length.
pub(super) fn one_line(text: &str) -> String {
    text::shortened(&text::one_line(text), LINE_CHARS)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_most_specific_words_are_found() {
        let table = [
            (Some("harmless"), json!({"command": "rm -r src"}), "rm -r src"),
            (Some("git status"), json!({"locations": []}), "git status"),
            (Some("  "), json!({"command": "cargo test"}), "cargo test"),
            (
                None,
                json!({"command": ["bash", "-lc", "ls"], "cwd": "/"}),
                "bash -lc ls",
            ),
            (None, json!({"limit": 3, "file_path": "a.rs"}), "a.rs"),
            (None, json!({"x": 1}), r#"{"x":1}"#),
            (None, json!({}), ""),
        ];
        for (title, input, expected) in table {
            assert_eq!(what(title, &Json::from(input)), expected);
        }
    }

    #[test]
    fn a_line_is_one_and_short() {
        assert_eq!(one_line("a\n\n b\tc"), "a b c");
        let long = one_line(&"é".repeat(1_000));
        assert_eq!(long.chars().count(), LINE_CHARS + 1);
    }
}
