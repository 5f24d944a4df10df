//! Splits text into chunks for streaming.

use crate::scenario::Chunks;

/// Default chunk size in characters.
const SIZE: usize = 32;

/// Splits text into chunks; the last size is repeated. Chunks are never empty.
pub(crate) fn split(text: &str, chunks: Option<&Chunks>) -> Vec<String> {
    let mut sizes = chunks
        .iter()
        .flat_map(|chunks| chunks.sizes.iter().map(|size| size.get()));
    let mut size = SIZE;
    let mut pieces = Vec::new();
    let mut characters = text.chars().peekable();
    while characters.peek().is_some() {
        size = sizes.next().unwrap_or(size);
        pieces.push(characters.by_ref().take(size).collect());
    }
    pieces
}
