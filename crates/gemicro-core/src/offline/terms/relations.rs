//! What else may stand for a word of a question: synonyms, and the short form of several words.

use crate::offline::question::Question;
use crate::offline::text::{Word, stem};

/// Stems of the phrases that mean the same as the word at a place, alone or as part of a phrase.
pub(super) fn synonyms(question: &Question, idx: usize) -> Vec<Vec<String>> {
    let mut found: Vec<Vec<String>> = Vec::new();
    for start in idx.saturating_sub(2)..=idx {
        let holds = |phrase: &Vec<String>| {
            start + phrase.len() > idx
                && phrase.iter().enumerate().all(|(offset, part)| {
                    let word = question.words.get(start + offset);
                    word.is_some_and(|word| stem(&word.lower) == stem(part))
                })
        };
        let groups = question.language.groups_of(&question.words[start].lower);
        for phrase in groups.filter(|group| group.iter().any(holds)).flatten() {
            let stems: Vec<String> = phrase.iter().map(|part| stem(part)).collect();
            let language = question.language;
            let says_little = phrase.len() == 1
                && phrase
                    .iter()
                    .all(|part| language.light.contains(part) || language.stop.contains(part));
            if !says_little && !found.contains(&stems) {
                found.push(stems);
            }
        }
    }
    found
}

/// The initials of the two or three plain words that begin here.
pub(super) fn initials_from(rest: &[&Word], is_stop: impl Fn(&Word) -> bool) -> Vec<String> {
    let n_plain = rest
        .iter()
        .take(3)
        .take_while(|word| !is_stop(word) && !word.digit && word.lower.len() > 3)
        .count();
    let initials = |n_words: usize| {
        rest[..n_words]
            .iter()
            .filter_map(|word| word.lower.chars().next())
            .collect()
    };
    (2..=n_plain).map(initials).collect()
}
