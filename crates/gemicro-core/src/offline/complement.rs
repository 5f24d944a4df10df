//! Answers that are plain words: "the commonest fish is the tench".
//!
//! The one function is [`complement`]. Such a value cannot be told by capitals or digits, so it is read
//! only where nothing else fits, and the sentence must cover nearly all that was asked.

use std::ops::Range;

use super::lexicon::lexicon;
use super::question::{AnswerType, Question};
use super::text::{Word, words};
use super::value::{Value, ValueKind};

/// Longest phrase that is a value and not a statement.
const LONGEST: usize = 3;

/// The plain words of a sentence that could answer "what" or "which".
///
/// `is_asked` tells whether a word of the sentence is one of the question's.
pub(crate) fn complement(
    question: &Question,
    sentence: &str,
    skip: &[Range<usize>],
    is_asked: impl Fn(&str) -> bool,
) -> Option<Value> {
    if question.expected != AnswerType::Value || question.uncased {
        return None;
    }
    let tokens = words(sentence);
    if question.language.code != "en" || !sentence.trim_end().ends_with(['.', ')']) {
        return None;
    }
    let n_words = tokens
        .iter()
        .position(|word| sentence[..word.range.start].ends_with('('))
        .unwrap_or(tokens.len());
    let tokens = &tokens[..n_words];
    let phrase = behind_copula(tokens, skip).or_else(|| behind_verb(tokens, skip, &is_asked))?;
    let is_new = phrase.iter().all(|word| !is_asked(&word.lower));
    is_new.then(|| value(phrase))
}

/// "… is the tench", "… are grayling and tench" has two and is left alone.
fn behind_copula<'a>(tokens: &'a [Word], skip: &[Range<usize>]) -> Option<&'a [Word]> {
    let copula = tokens
        .iter()
        .rposition(|word| matches!(word.lower.as_str(), "is" | "are" | "was" | "were"))?;
    let has_article = tokens
        .get(copula + 1)
        .is_some_and(|word| matches!(word.lower.as_str(), "the" | "a" | "an"));
    let phrase = &tokens[copula + 1 + usize::from(has_article)..];
    let is_thing = has_article || phrase.len() == 1 && !is_quality(&phrase[0].lower);
    (is_phrase(phrase, skip) && is_thing).then_some(phrase)
}

/// "Anglers mostly catch brown trout": the object of a verb that the question asks about.
fn behind_verb<'a>(
    tokens: &'a [Word],
    skip: &[Range<usize>],
    is_asked: impl Fn(&str) -> bool,
) -> Option<&'a [Word]> {
    let verb = tokens.iter().rposition(|word| is_asked(&word.lower))?;
    let has_copula = tokens
        .iter()
        .any(|word| matches!(word.lower.as_str(), "is" | "are" | "was" | "were" | "be" | "been"));
    let phrase = tokens.get(verb + 1..)?;
    (verb > 0 && !has_copula && is_phrase(phrase, skip)).then_some(phrase)
}

fn is_phrase(phrase: &[Word], skip: &[Range<usize>]) -> bool {
    let lexicon = lexicon();
    (1..=LONGEST).contains(&phrase.len())
        && phrase.iter().all(|word| {
            !word.capital
                && !word.digit
                && !lexicon.is_stop(&word.lower)
                && !lexicon.is_day(&word.lower)
                && !lexicon.is_numeral(&word.lower)
                && !is_skipped(word, skip)
        })
        && !phrase[0].lower.ends_with("ly")
}

/// A word that states something about a thing instead of naming one.
fn is_quality(word: &str) -> bool {
    const ENDINGS: [&str; 18] = [
        "y", "ed", "ing", "ful", "ous", "ive", "al", "ic", "able", "ible", "less", "ish", "ant", "ent", "wn",
        "rt", "en", "er",
    ];
    ENDINGS.iter().any(|ending| word.ends_with(ending))
}

fn is_skipped(word: &Word, skip: &[Range<usize>]) -> bool {
    skip.iter()
        .any(|range| range.start <= word.range.start && word.range.end <= range.end)
}

fn value(phrase: &[Word]) -> Value {
    let normal: Vec<&str> = phrase.iter().map(|word| word.lower.as_str()).collect();
    Value {
        kind: ValueKind::Name,
        range: phrase[0].range.start..phrase[phrase.len() - 1].range.end,
        normal: normal.join(" "),
        unit: None,
        aside: false,
    }
}
