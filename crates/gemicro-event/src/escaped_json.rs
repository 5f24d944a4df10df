//! Text and JSON that are safe to look at: invisible characters are written as `\uXXXX`.

use std::borrow::Cow;
use std::fmt::Write;

use serde::de::IgnoredAny;

use crate::text::is_hidden;

/// JSON, or JSON lines, with every invisible character written as `\uXXXX`: the same value, safe to look at. What
/// is not JSON stays as it is.
#[must_use]
pub fn escape_json(data: &[u8]) -> Cow<'_, [u8]> {
    let Some(text) = std::str::from_utf8(data).ok() else {
        return Cow::Borrowed(data);
    };
    let Cow::Owned(escaped) = escape_text(text) else {
        return Cow::Borrowed(data);
    };
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    // Outside of strings JSON has no invisible characters.
    let is_json = text.trim_start().starts_with(['{', '[', '"']) && values.all(|value| value.is_ok());
    match is_json {
        true => Cow::Owned(escaped.into_bytes()),
        false => Cow::Borrowed(data),
    }
}

/// The text with every invisible character written as `\uXXXX`. Line ends and tabs stay.
#[must_use]
pub fn escape_text(text: &str) -> Cow<'_, str> {
    if !text.contains(is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 64);
    for c in text.chars() {
        if is_escaped(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(c);
        }
    }
    Cow::Owned(escaped)
}

fn is_escaped(c: char) -> bool {
    is_hidden(c) && !matches!(c, '\n' | '\r' | '\t')
}

#[cfg(test)]
mod tests {
    use super::{escape_json, escape_text};

    #[test]
    fn json_shows_what_no_one_sees() {
        let hidden =
            "\u{7f}\u{80}\u{9b}\u{ad}\u{61c}\u{200b}\u{200e}\u{202e}\u{2028}\u{2066}\u{feff}\u{e0041}";
        let value = serde_json::json!({ "text": format!("a{hidden}b ï 漢"), hidden: [hidden] });
        for written in [
            format!("{value}\n"),
            serde_json::to_string_pretty(&value).unwrap(),
            format!("{value}\n{value}\n"),
            format!("[{value}]"),
        ] {
            let escaped = escape_json(written.as_bytes()).into_owned();
            let escaped = String::from_utf8(escaped).unwrap();
            assert!(!escaped.contains(|c| hidden.contains(c)), "{escaped}");
            assert!(
                escaped.contains("\\u202e") && escaped.contains("\\udb40\\udc41"),
                "{escaped}"
            );
            assert!(escaped.contains("b ï 漢"), "{escaped}");
            let read = |text: &str| -> Vec<serde_json::Value> {
                let values = serde_json::Deserializer::from_str(text).into_iter();
                values.map(Result::unwrap).collect()
            };
            assert_eq!(read(&escaped), read(&written));
        }
        // What is no JSON, and what hides nothing, stays as it is.
        assert_eq!(
            escape_text("\u{1b}[2J\ta\u{202e}\u{e0041}\r\n漢"),
            "\\u001b[2J\ta\\u202e\\udb40\\udc41\r\n漢"
        );
        for other in ["# A report\u{200b}\n", "[link\u{200b}](x)", "{\"a\": \"ï\"}\n"] {
            assert_eq!(escape_json(other.as_bytes()), other.as_bytes());
        }
    }
}
