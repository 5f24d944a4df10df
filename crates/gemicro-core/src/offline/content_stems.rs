//! The words that say what a text is about.

use std::collections::BTreeSet;

use super::lexicon::lexicon;
use super::text::{stem, words};

/// The stems of a text's words, without function words and without single letters.
#[must_use]
pub fn content_stems(text: &str) -> BTreeSet<String> {
    let words = words(text).into_iter();
    let says_something = |word: &str| word.chars().nth(1).is_some() && !lexicon().is_stop(word);
    words
        .filter(|word| word.cjk || says_something(&word.lower))
        .map(|word| stem(&word.lower))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::content_stems;

    #[test]
    fn forms_of_a_word_are_one_and_function_words_none() {
        let stems = content_stems("The tests are tested with a test.");
        assert_eq!(stems.into_iter().collect::<Vec<_>>(), ["test"]);
    }
}
