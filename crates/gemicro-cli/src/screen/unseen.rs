//! Invisible characters: what they are, and how JSON is written without them.
//!
//! They hide text from a reader who trusts the screen, or change how the rest of a line is shown.

use std::borrow::Cow;
use std::fmt::Write;

use gemicro_event::text::{is_hidden, is_line_end, is_turning};
use serde::de::IgnoredAny;

/// Whether a character takes no room on a screen and only hides something.
pub(crate) fn is_unseen(c: char) -> bool {
    is_hidden(c) && !is_active(c)
}

/// Whether a terminal might do something else than print it.
pub(crate) fn is_active(c: char) -> bool {
    c.is_control() || is_line_end(c) || is_turning(c)
}

/// JSON, or JSON lines, with every invisible character written as `\uXXXX`: the same value, safe to look at. What
/// is not JSON stays as it is.
pub(crate) fn escape_json(data: &[u8]) -> Cow<'_, [u8]> {
    let Some(text) = std::str::from_utf8(data).ok().filter(|text| has_hidden(text)) else {
        return Cow::Borrowed(data);
    };
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
    let is_json = text.trim_start().starts_with(['{', '[', '"']) && values.all(|value| value.is_ok());
    if !is_json {
        return Cow::Borrowed(data);
    }
    // Outside of strings JSON has none of them.
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
    Cow::Owned(escaped.into_bytes())
}

fn has_hidden(text: &str) -> bool {
    !text.is_ascii() && text.chars().any(is_escaped) || text.contains('\x7f')
}

/// In JSON, white space between values is no character of a text.
fn is_escaped(c: char) -> bool {
    c >= '\x7f' && is_hidden(c)
}
