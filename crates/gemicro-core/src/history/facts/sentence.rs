//! Finds rules, decisions and finished items: whole sentences, recognised by their words.
//!
//! Recognition only affects priority: a sentence that is not recognised is an ordinary statement. Tool output never
//! makes rules.

use super::FactClass;
use super::telling_words::{
    CHINESE_RULE_WORDS, DECISION_OPENINGS, DONE_ENDINGS, DONE_OPENINGS, RULE_WORDS, SUBJECTS,
};
use crate::history::Trust;

/// The rule, decision or finished item in a sentence, if its wording shows one.
pub(super) fn recognise_sentence(sentence: &str, trust: Trust) -> Option<(&str, FactClass)> {
    let sentence = without_postscript(sentence);
    if trust == Trust::Data || sentence.is_empty() {
        return None;
    }
    let lower = sentence.to_lowercase();
    // Some letters change their length in lower case; then offsets into `lower` are invalid in `sentence`.
    let is_aligned = lower.len() == sentence.len();
    for (openings, class) in [
        (DONE_OPENINGS, FactClass::Done),
        (DECISION_OPENINGS, FactClass::Decision),
    ] {
        for opening in openings {
            let Some(at) = find_word(&lower, opening) else {
                continue;
            };
            let starts = is_aligned && starts_anew(sentence, at);
            if class == FactClass::Done && !starts && at > 0 && opening.ends_with(':') {
                continue;
            }
            let text = if starts {
                &sentence[clause_start(sentence, at)..]
            } else {
                sentence
            };
            return Some((text, class));
        }
    }
    if sentence.ends_with(['?', '？']) {
        return None;
    }
    let weighs = ["instead of", "rather than"]
        .iter()
        .any(|words| find_word(&lower, words).is_some());
    if weighs
        && ["we", "let's", "i"]
            .iter()
            .any(|word| find_word(&lower, word).is_some())
    {
        return Some((sentence, FactClass::Decision));
    }
    if DONE_ENDINGS
        .iter()
        .any(|ending| find_word(&lower, ending).is_some())
    {
        return Some((without_lead(sentence), FactClass::Done));
    }
    if trust != Trust::Instruction {
        return None;
    }
    has_rule_word(&lower).then_some((sentence, FactClass::Rule))
}

fn has_rule_word(lower: &str) -> bool {
    let is_negated = |word: &&str| {
        find_word(lower, word).is_some_and(|at| {
            let before = lower[..at].trim_end();
            let before = before.rsplit(|letter: char| !letter.is_alphabetic()).next();
            !before.is_some_and(|word| SUBJECTS.contains(&word))
        })
    };
    RULE_WORDS.iter().any(|word| find_word(lower, word).is_some())
        || ["do not", "don't", "don’t"].iter().any(is_negated)
        || CHINESE_RULE_WORDS.iter().any(|word| lower.contains(word))
}

/// The position of `word` as a whole word.
fn find_word(lower: &str, word: &str) -> Option<usize> {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    lower.match_indices(word).map(|(at, _)| at).find(|&at| {
        let before = lower[..at].chars().next_back();
        let after = lower[at + word.len()..].chars().next();
        let starts = !before.is_some_and(is_letter) || !word.starts_with(is_letter);
        let ends = !after.is_some_and(is_letter) || !word.ends_with(is_letter);
        starts && ends
    })
}

/// Whether a new sentence starts here although a full stop is missing: "ok, go on Agreed, we …".
fn starts_anew(sentence: &str, at: usize) -> bool {
    sentence[at..]
        .chars()
        .next()
        .is_some_and(|letter| letter.is_uppercase() || !letter.is_alphabetic() || !letter.is_ascii())
}

/// Start of the clause that contains `at`: Chinese has no spaces between words.
fn clause_start(sentence: &str, at: usize) -> usize {
    let before = &sentence[..at];
    let own = before.trim_end_matches(|letter: char| letter.is_alphabetic() && !letter.is_ascii());
    own.len()
}

/// The sentence without lower-case words before its capital: "ok, go on The cache is done".
fn without_lead(sentence: &str) -> &str {
    const LEAD: usize = 24;
    let starts_small = sentence.starts_with(char::is_lowercase);
    let capital = sentence
        .find(char::is_uppercase)
        .filter(|at| starts_small && *at <= LEAD);
    capital.map_or(sentence, |at| &sentence[at..])
}

/// The sentence without a leading "PS" or "NB".
fn without_postscript(sentence: &str) -> &str {
    let mut rest = sentence;
    for mark in ["PS: ", "PS ", "P.S. ", "PPS ", "NB: ", "NB "] {
        rest = rest.strip_prefix(mark).unwrap_or(rest);
    }
    rest.trim_start()
}
