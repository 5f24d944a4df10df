//! Finds rules, decisions and finished items: whole sentences, recognised by their words.
//!
//! Works on one line of prose. Who may say what is decided by the caller: tools never make rules.

use super::FactClass;
use super::telling_words::{
    CHINESE_RULE_WORDS, DECISION_OPENINGS, DONE_ENDINGS, DONE_OPENINGS, RULE_WORDS, SUBJECTS,
};
use crate::history::Trust;

/// Longer sentences are narrowed to what stands around the telling word.
const MAX_LENGTH: usize = 600;

/// Calls `found` with every telling sentence of a line of prose.
pub(super) fn sentences<'a>(line: &'a str, trust: Trust, mut found: impl FnMut(&'a str, FactClass)) {
    if trust == Trust::Data {
        return;
    }
    let mut rest = line;
    while !rest.is_empty() {
        let (sentence, after) = rest.split_at(sentence_end(rest));
        rest = after;
        let sentence = without_marker(sentence.trim());
        if let Some((text, class)) = telling(sentence, trust) {
            found(text, class);
        }
    }
}

fn telling(sentence: &str, trust: Trust) -> Option<(&str, FactClass)> {
    if sentence.is_empty() {
        return None;
    }
    let lower = sentence.to_lowercase();
    // Letters may change their length in lower case; then offsets into `lower` mean nothing.
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
            return Some((narrowed(text, 0), class));
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
        return Some((narrowed(sentence, 0), FactClass::Decision));
    }
    if DONE_ENDINGS
        .iter()
        .any(|ending| find_word(&lower, ending).is_some())
    {
        return Some((narrowed(without_lead(sentence), 0), FactClass::Done));
    }
    if trust != Trust::Instruction {
        return None;
    }
    let at = rule_word(&lower)?;
    Some((
        narrowed(sentence, if is_aligned { at } else { 0 }),
        FactClass::Rule,
    ))
}

fn rule_word(lower: &str) -> Option<usize> {
    let plain = RULE_WORDS.iter().find_map(|word| find_word(lower, word));
    let negated = || {
        ["do not", "don't", "don’t"].iter().find_map(|word| {
            let at = find_word(lower, word)?;
            let before = lower[..at]
                .trim_end()
                .rsplit(|letter: char| !letter.is_alphabetic())
                .next();
            (!before.is_some_and(|word| SUBJECTS.contains(&word))).then_some(at)
        })
    };
    let chinese = || CHINESE_RULE_WORDS.iter().find_map(|word| lower.find(word));
    plain.or_else(negated).or_else(chinese)
}

/// Where `word` stands as a word of its own.
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

/// Whether a sentence that lacks a full stop before it starts here: "ok, go on Agreed, we …".
fn starts_anew(sentence: &str, at: usize) -> bool {
    sentence[at..]
        .chars()
        .next()
        .is_some_and(|letter| letter.is_uppercase() || !letter.is_alphabetic() || !letter.is_ascii())
}

/// Where the words start that belong to what stands at `at`: Chinese has no blanks between them.
fn clause_start(sentence: &str, at: usize) -> usize {
    let before = &sentence[..at];
    let own = before.trim_end_matches(|letter: char| letter.is_alphabetic() && !letter.is_ascii());
    own.len()
}

/// A sentence without small words before its capital: "ok, go on The cache is done".
fn without_lead(sentence: &str) -> &str {
    const LEAD: usize = 24;
    let starts_small = sentence.starts_with(char::is_lowercase);
    let capital = sentence
        .find(char::is_uppercase)
        .filter(|at| starts_small && *at <= LEAD);
    capital.map_or(sentence, |at| &sentence[at..])
}

/// The end of the first sentence, its blanks included.
fn sentence_end(text: &str) -> usize {
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let end = at + letter.len_utf8();
        match letter {
            '。' | '！' | '？' => return end,
            '.' | '!' | '?' => {
                let is_followed = letters.peek().is_none_or(|(_, next)| next.is_whitespace());
                if is_followed && !is_abbreviation(&text[..end]) {
                    return end;
                }
            }
            _ => {}
        }
    }
    text.len()
}

fn is_abbreviation(text: &str) -> bool {
    let word = text
        .rsplit(|letter: char| letter.is_whitespace() || letter == '(')
        .next()
        .unwrap_or_default();
    matches!(
        word.to_lowercase().as_str(),
        "e.g."
            | "i.e."
            | "vs."
            | "etc."
            | "cf."
            | "no."
            | "approx."
            | "dr."
            | "mr."
            | "mrs."
            | "st."
            | "p.s."
    ) || word
        .trim_end_matches('.')
        .bytes()
        .all(|byte| byte.is_ascii_digit())
        && word.len() <= 3
        && text.len() == word.len()
}

/// A line or sentence without list marks and "PS".
fn without_marker(sentence: &str) -> &str {
    let mut rest = sentence.trim_start_matches(['#', '>', ' ', '\t']);
    for mark in ["- ", "* ", "+ ", "• ", "– "] {
        rest = rest.strip_prefix(mark).unwrap_or(rest);
    }
    for mark in ["PS: ", "PS ", "P.S. ", "PPS ", "NB: ", "NB "] {
        rest = rest.strip_prefix(mark).unwrap_or(rest);
    }
    rest.trim()
}

/// The sentence, or what stands around byte `at` of one that has no end.
fn narrowed(sentence: &str, at: usize) -> &str {
    if sentence.len() <= MAX_LENGTH {
        return sentence;
    }
    let start = sentence.floor_char_boundary(at.saturating_sub(MAX_LENGTH / 2));
    let end = sentence.floor_char_boundary((start + MAX_LENGTH).min(sentence.len()));
    sentence[start..end].trim()
}
