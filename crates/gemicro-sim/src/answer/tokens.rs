//! The simulator's rule for counting tokens, the same for `usage` and `countTokens`:
//! **one token per four bytes of UTF-8, rounded up, each text on its own; 258 for each image or file.**
//!
//! It is not the real tokenizer and does not try to be: it can be checked by hand.

use gemicro_event::text::first_bytes;
use serde_json::Value;

const BYTES: u64 = 4;
/// Of an image, audio, video or document.
pub(crate) const MEDIA: u64 = 258;

/// Tokens of one text.
pub(crate) fn of_text(text: &str) -> u64 {
    (text.len() as u64).div_ceil(BYTES)
}

/// Tokens of a JSON value: of its compact text.
pub(crate) fn of_json(value: &Value) -> u64 {
    of_text(&value.to_string())
}

/// The longest start of the text that has at most so many tokens.
pub(crate) fn take(text: &str, tokens: u64) -> &str {
    let bytes = usize::try_from(tokens.saturating_mul(BYTES)).unwrap_or(usize::MAX);
    first_bytes(text, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_bytes_are_a_token() {
        for (text, tokens) in [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("äöü", 2)] {
            assert_eq!(of_text(text), tokens, "{text}");
        }
        assert_eq!(take("äöüß", 1), "äö");
        assert_eq!(take("aäöü", 1), "aä");
        assert_eq!(take("abc", 9), "abc");
    }
}
