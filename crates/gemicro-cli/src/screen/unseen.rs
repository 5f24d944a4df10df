//! Characters that nobody sees: what they are, and how JSON is written without them.
//!
//! They hide text from a reader who trusts the screen, or change how the rest of a line is shown.

use std::borrow::Cow;
use std::fmt::Write;

use serde::de::IgnoredAny;

/// Whether a character takes no room on a screen and only hides something: zero-width and tag characters, soft hyphens,
/// fillers, variation selectors that are not those of emoji.
pub(crate) fn is_unseen(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0d}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a terminal might do something else than print it.
pub(crate) fn is_active(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// JSON, or JSON lines, with every character that nobody sees written as `\uXXXX`: the same value, safe to look at. What
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
        if is_hidden(c) {
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
    !text.is_ascii() && text.chars().any(is_hidden) || text.contains('\x7f')
}

/// In JSON, white space between values is no character of a text.
fn is_hidden(c: char) -> bool {
    c >= '\x7f' && (is_unseen(c) || is_active(c))
}
