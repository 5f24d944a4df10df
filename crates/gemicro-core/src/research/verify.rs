//! The verbatim check: a quote counts only if it stands in the text, letter by letter.

use std::ops::Range;

/// Finds a quote in a text, white space apart, and gives the place where it stands.
///
/// Every run of white space counts as one blank on both sides, so a quote may cross a line end. Nothing
/// else is forgiven. An empty quote stands nowhere.
#[must_use]
pub(super) fn find_verbatim(text: &str, quote: &str) -> Option<Range<usize>> {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::{Strategy, proptest};
    use proptest::{prop_assert, prop_assert_eq};

    use super::*;

    #[test]
    fn a_quote_stands_where_its_words_stand() {
        let text = "The  bridge\nopened in 1931.\tIt is  long. Die Brücke heißt „Laterne“. 灯桥。";
        let found = [
            ("The bridge opened in 1931.", Some("The  bridge\nopened in 1931.")),
            ("  opened\n in  1931.  ", Some("opened in 1931.")),
            ("1931. It is long.", Some("1931.\tIt is  long.")),
            ("heißt „Laterne“.", Some("heißt „Laterne“.")),
            ("灯桥", Some("灯桥")),
            ("pened i", Some("pened i")),
            ("", None),
            (" \n ", None),
            ("The bridge opened in 1932.", None),
            ("the bridge", None),
            ("The bri dge", None),
            ("Thebridge", None),
            ("It is long. Die Bruecke", None),
            ("long. Die Brücke heißt Laterne", None),
        ];
        for (quote, expected) in found {
            assert_eq!(
                find_verbatim(text, quote).map(|range| &text[range]),
                expected,
                "{quote:?}"
            );
        }
        // A first word that comes often before the right place.
        assert_eq!(find_verbatim("a a a a b", "a b"), Some(6..9));
        assert_eq!(find_verbatim("ééé é x", "é x"), Some(7..11));
    }

    fn words() -> impl Strategy<Value = String> {
        "[a-cé世 \n\t.]{0,60}"
    }

    proptest! {
        /// What is found says the same words as the quote.
        #[test]
        fn a_found_quote_has_the_words_of_the_quote(text in words(), quote in words()) {
            if let Some(range) = find_verbatim(&text, &quote) {
                let found: Vec<&str> = text[range.clone()].split_whitespace().collect();
                let wanted: Vec<&str> = quote.split_whitespace().collect();
                prop_assert_eq!(found, wanted);
                prop_assert_eq!(text[range.clone()].trim(), &text[range]);
            }
        }

        /// Every piece of a text is found in it, white space changed or not.
        #[test]
        fn every_piece_of_a_text_is_found(text in words(), from in 0usize..60, len in 1usize..60, blank in "[ \n\t]{1,3}") {
            let piece: String = text.chars().skip(from).take(len).collect();
            let spread = piece.split_whitespace().collect::<Vec<_>>().join(&blank);
            let stands = !piece.trim().is_empty();
            prop_assert_eq!(find_verbatim(&text, &piece).is_some(), stands);
            prop_assert_eq!(find_verbatim(&text, &spread).is_some(), stands);
        }

        /// A quote with a word that the text does not have stands nowhere.
        #[test]
        fn a_foreign_word_is_never_found(text in words(), before in words(), after in words()) {
            let quote = format!("{before} zebra {after}");
            prop_assert!(find_verbatim(&text, &quote).is_none());
        }
    }
}
