//! Finds the values in a sentence: numbers with their units, dates, codes and names.
//!
//! The main function is [`values`]. A value inside round brackets is an aside ("figure of 3 May") and is
//! marked as such. What a question expects of a value is decided in `expected`.

mod characters;
mod date;
mod number;

use std::ops::Range;

use characters::cjk_values;
use date::date;
use number::number;

use super::lexicon::lexicon;
use super::text::{Word, words};
use super::unit_class::UnitClass;

/// What kind of value it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ValueKind {
    /// A number, with what its unit measures; a number of things is a count.
    Number(UnitClass),
    /// A day, month, year, weekday or time of day.
    Date,
    /// A word with digits, such as a form or a gate.
    Code,
    Name,
}

/// A value in a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Value {
    pub(crate) kind: ValueKind,
    /// Byte range in the sentence, without the unit.
    pub(crate) range: Range<usize>,
    /// The form in which two values are compared.
    pub(crate) normal: String,
    /// The word after a number: its unit or the things counted.
    pub(crate) unit: Option<String>,
    /// It stands in round brackets.
    pub(crate) aside: bool,
}

/// All values of a sentence in reading order; words inside `skip` (the subject) are left out.
pub(crate) fn values(sentence: &str, skip: &[Range<usize>]) -> Vec<Value> {
    let tokens = words(sentence);
    let mut found = Vec::new();
    let mut word_idx = 0;
    while word_idx < tokens.len() {
        let token = &tokens[word_idx];
        if skip
            .iter()
            .any(|range| range.start <= token.range.start && token.range.end <= range.end)
        {
            word_idx += 1;
            continue;
        }
        if token.cjk {
            cjk_values(sentence, token, &mut found);
            word_idx += 1;
            continue;
        }
        let taken = date(sentence, &tokens, word_idx, &mut found)
            .or_else(|| number(sentence, &tokens, word_idx, &mut found))
            .or_else(|| name(sentence, &tokens, word_idx, skip, &mut found));
        word_idx += taken.unwrap_or(1);
    }
    for value in &mut found {
        value.aside = in_brackets(sentence, value.range.start);
    }
    found
}

fn in_brackets(sentence: &str, at: usize) -> bool {
    let before = &sentence[..at];
    before.matches(['(', '（']).count() > before.matches([')', '）']).count()
}

fn push(found: &mut Vec<Value>, kind: ValueKind, range: Range<usize>, normal: String, unit: Option<String>) {
    found.push(Value {
        kind,
        range,
        normal,
        unit,
        aside: false,
    });
}

/// Only blanks stand between two words.
pub(crate) fn adjacent(sentence: &str, left: &Word, right: &Word) -> bool {
    sentence[left.range.end..right.range.start]
        .chars()
        .all(|c| c.is_whitespace() || c == '*' || c == '_')
}

/// A run of words with capitals; a single capital at the start of a sentence says nothing.
fn name(
    sentence: &str,
    tokens: &[Word],
    at: usize,
    skip: &[Range<usize>],
    found: &mut Vec<Value>,
) -> Option<usize> {
    let lexicon = lexicon();
    let is_part = |word: &Word| {
        word.capital
            && !lexicon.is_stop(&word.lower)
            && !lexicon.is_day(&word.lower)
            && !skip.iter().any(|range| range.contains(&word.range.start))
    };
    let first = &tokens[at];
    let is_unit = at > 0 && tokens[at - 1].digit && lexicon.unit(&first.lower).is_some();
    if !is_part(first) || is_unit {
        return None;
    }
    let mut end = at + 1;
    while tokens.get(end).is_some_and(|word| {
        (is_part(word) || is_code_like(word)) && adjacent(sentence, &tokens[end - 1], word)
    }) {
        end += 1;
    }
    let opens = at == 0
        || sentence[tokens[at - 1].range.end..first.range.start].contains([':', '.', '!', '?', '“', '"']);
    // "Call 071 …", "Lot 5206 …" at the start of a sentence: the number is the value.
    if opens && tokens.get(at + 1).is_some_and(|word| word.digit) {
        return Some(1);
    }
    let start = if end - at > 1 && lexicon.is_title(&first.lower) {
        at + 1
    } else {
        at
    };
    if opens && end - start == 1 && start == at {
        return Some(end - at);
    }
    let normal = tokens[start..end]
        .iter()
        .map(|word| word.lower.as_str())
        .collect::<Vec<_>>()
        .join(" ");
    push(
        found,
        ValueKind::Name,
        tokens[start].range.start..tokens[end - 1].range.end,
        normal,
        None,
    );
    Some(end - at)
}

fn is_code_like(word: &Word) -> bool {
    word.digit && word.lower.len() <= 6
}
