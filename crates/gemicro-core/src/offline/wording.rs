//! What a sentence is about, as far as its words tell: for comparing two sayings of one thing.

use super::lexicon::lexicon;
use super::text::{is_cjk, stem, words};

/// The words that carry a sentence's meaning, in their plain forms: stop words apart, Chinese and Japanese as
/// pairs of characters.
pub(crate) fn content_words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for word in words(text) {
        if word.cjk {
            let chars: Vec<char> = word.lower.chars().filter(|c| is_cjk(*c)).collect();
            match chars.as_slice() {
                [] => {}
                [one] => found.push(one.to_string()),
                chars => found.extend(chars.windows(2).map(|pair| pair.iter().collect::<String>())),
            }
        } else if word.digit {
            found.push(word.lower.trim_end_matches(['.', ',']).to_owned());
        } else if word.lower.chars().any(char::is_alphabetic) && !lexicon().is_stop(&word.lower) {
            found.push(stem(&word.lower));
        }
    }
    found
}
