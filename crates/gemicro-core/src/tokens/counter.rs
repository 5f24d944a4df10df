//! The contract of token counters.

/// Tokens that a chat format adds around one text: start, role, end, and the opening of the answer. The
/// formats we know add 5 to 12.
pub const FRAMING_TOKENS: u64 = 32;

/// Counts the tokens of a text as a model would see them.
pub trait TokenCounter: Send + Sync {
    /// The likely count; may be too low or too high.
    fn expected(&self, text: &str) -> u64;

    /// A count that is never too low.
    fn safe(&self, text: &str) -> u64 {
        byte_bound(text)
    }
}

/// The proven bound: one token per byte of UTF-8, and the framing.
///
/// Tokenizers with byte fallback (those of Gemini, Gemma, GPT, Claude and Llama) cut a text into pieces
/// that together are the text. A piece is at least one byte long, since what no piece covers falls back to
/// single bytes. So there are never more pieces than bytes. Their normal forms do not lengthen a text: a
/// blank may become another mark, but that mark still is (part of) one piece.
pub(super) fn byte_bound(text: &str) -> u64 {
    (text.len() as u64).saturating_add(FRAMING_TOKENS)
}
