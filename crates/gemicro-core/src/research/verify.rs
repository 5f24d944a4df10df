//! The verbatim check: a quote counts only if it stands in the text, letter by letter.

use std::ops::Range;

/// Finds a quote in a text, white space apart, and gives the place where it stands.
///
/// Every run of white space counts as one blank on both sides, so a quote may cross a line end. Nothing
/// else is forgiven. An empty quote stands nowhere.
#[must_use]
pub fn find_verbatim(text: &str, quote: &str) -> Option<Range<usize>> {
    let wanted: Vec<&str> = quote.split_whitespace().collect();
    let first = wanted.first()?;
    let mut from = 0;
    while let Some(offset) = text[from..].find(first) {
        let start = from + offset;
        if let Some(end) = match_words(text, start, &wanted) {
            return Some(start..end);
        }
        from = start + first.chars().next().map_or(1, char::len_utf8);
    }
    None
}

/// Matches the words from `start`, each followed by white space but the last; gives the end.
fn match_words(text: &str, start: usize, words: &[&str]) -> Option<usize> {
    let mut at = start;
    for (idx, word) in words.iter().enumerate() {
        if idx > 0 {
            let rest = &text[at..];
            let trimmed = rest.trim_start();
            if trimmed.len() == rest.len() {
                return None;
            }
            at += rest.len() - trimmed.len();
        }
        at += text[at..].strip_prefix(word).map(|_| word.len())?;
    }
    Some(at)
}
