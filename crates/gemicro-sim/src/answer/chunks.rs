//! How a text falls into pieces when it is streamed.

use crate::scenario::Chunks;

/// Characters per piece when the scenario does not say.
const SIZE: usize = 32;

/// Cuts a text into pieces; the last size goes on to the end. Never gives an empty piece.
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
