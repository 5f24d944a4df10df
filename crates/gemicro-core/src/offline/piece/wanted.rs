//! The values of a piece that could answer: [`wanted_values`].

use crate::offline::expected::fitting_values;
use crate::offline::lexicon::lexicon;
use crate::offline::question::{AnswerType, Question};
use crate::offline::terms::QueryTerms;
use crate::offline::text::{Word, likeness, words};
use crate::offline::unit_class::UnitClass;
use crate::offline::value::{Value, ValueKind, values};

/// How many words away a number may be from the words of the question.
const NEAR: usize = 3;

/// The values that could answer: of the type, beside the words of the question where any number would do, and
/// before the things that are counted.
pub(super) fn wanted_values(question: &Question, terms: &QueryTerms, text: &str) -> Vec<Value> {
    let all = values(text, &[]);
    let mut found: Vec<Value> = fitting_values(question, &all).into_iter().cloned().collect();
    found.retain(|value| value.kind != ValueKind::Name || lexicon().month(&value.normal).is_none());
    let AnswerType::Quantity { classes } = &question.expected else {
        return found;
    };
    let tokens: Vec<Word> = words(text)
        .into_iter()
        .filter(|word| !lexicon().is_stop(&word.lower) && word.lower.contains(char::is_alphanumeric))
        .collect();
    if classes.is_empty() {
        let is_asked = |word: &Word| terms.asks_about(&text[word.range.clone()]);
        let asks_amount = question.words[question.ask.clone()]
            .iter()
            .any(|word| word.lower == "much");
        // "How much": any sum of money, and no telephone number.
        let is_long = |value: &Value| value.normal.starts_with('0') && value.normal.len() > 5;
        found.retain(|value| !asks_amount || !is_long(value));
        found.retain(|value| {
            if asks_amount && value.kind == ValueKind::Number(UnitClass::Money) {
                return true;
            }
            let before = tokens
                .iter()
                .rev()
                .filter(|word| word.range.end <= value.range.start);
            let after = tokens.iter().filter(|word| word.range.start >= value.range.end);
            before.take(NEAR).chain(after.take(NEAR)).any(is_asked)
        });
        // Where any number would do, an amount of money is meant before others.
        found.sort_by_key(|value| value.kind != ValueKind::Number(UnitClass::Money));
        return found;
    }
    let is_times = question.counted.iter().any(|noun| noun == "times");
    let is_counted = |word: &Word| {
        question
            .counted
            .iter()
            .any(|noun| likeness(noun, &word.lower) > 0.0)
    };
    found.retain(|value| {
        value.kind != ValueKind::Number(UnitClass::Count)
            || question.counted.is_empty() && classes.len() == 1
            || is_times && !is_label(text, value)
            || answers_count(text, value, is_counted)
            || tokens
                .iter()
                .filter(|word| word.range.start >= value.range.end)
                .take(3)
                .any(is_counted)
    });
    found
}

/// "How many threads does it use? 4 by default.": the question in the text says what is counted.
fn answers_count(text: &str, value: &Value, is_counted: impl Fn(&Word) -> bool) -> bool {
    let asked = text.find('?').filter(|end| *end < value.range.start);
    asked.is_some_and(|end| words(&text[..end]).iter().any(is_counted))
}

/// "Code 75", "step 3": a number behind a plain noun names a thing and counts nothing.
fn is_label(text: &str, value: &Value) -> bool {
    let before = words(&text[..value.range.start]);
    let is_noun = |word: &Word| {
        !word.digit
            && !lexicon().is_stop(&word.lower)
            && text[word.range.end..value.range.start].trim().is_empty()
    };
    before.last().is_some_and(is_noun)
}
