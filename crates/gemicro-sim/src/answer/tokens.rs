//! Counts tokens in the simulator, for `usage` and `countTokens`: **one token per four bytes of UTF-8, rounded up, for
//! each text; 258 for each image or file.**
//!
//! This is deliberately not the real tokenizer: it can be checked by hand.

use gemicro_event::text::first_bytes;
use serde_json::Value;

const BYTES: u64 = 4;
/// Tokens of an image, audio, video or document.
pub(crate) const MEDIA: u64 = 258;

/// Tokens of one text.
pub(crate) fn of_text(text: &str) -> u64 {
    (text.len() as u64).div_ceil(BYTES)
}

/// Tokens of a JSON value, in its compact form.
pub(crate) fn of_json(value: &Value) -> u64 {
    of_text(&value.to_string())
}

/// Returns the longest prefix with at most this many tokens.
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
