//! Where a value stands in its sentence, and whether it can be the answer there.
//!
//! The one function is [`stands_well`]: the part of the second gate that looks around a value.

use super::moment::Shape;
use super::question::{AnswerType, Question};
use super::text::words;
use super::unit_class::UnitClass;
use super::value::{Value, ValueKind};

/// The value can be the answer at its place in the sentence.
pub(crate) fn stands_well(question: &Question, sentence: &str, value: &Value) -> bool {
    match value.kind {
        ValueKind::Number(UnitClass::Count) => !is_small_talk(question, value),
        ValueKind::Name => question.expected != AnswerType::Person || !is_title_of_work(sentence, value),
        ValueKind::Date => Shape::of(&value.normal) != Shape::Season || !is_capital(sentence, value),
        ValueKind::Number(_) | ValueKind::Code => true,
    }
}

/// A number of things in words, such as "two doors".
pub(crate) fn is_spelled_count(value: &Value) -> bool {
    value.kind == ValueKind::Number(UnitClass::Count)
        && !value.normal.starts_with(|c: char| c.is_ascii_digit())
}

/// "Behind two doors", "on two servers": a small count in words is no amount and no size.
fn is_small_talk(question: &Question, value: &Value) -> bool {
    let is_degree = question
        .words
        .get(question.ask.start)
        .is_some_and(|word| word.lower == "how");
    let is_uncounted = match &question.expected {
        AnswerType::Quantity { classes } => classes.len() != 1 && is_degree && question.counted.is_empty(),
        AnswerType::Value => asks_label(question),
        AnswerType::Person
        | AnswerType::Place
        | AnswerType::Name
        | AnswerType::Date
        | AnswerType::Explanation => false,
    };
    is_uncounted && is_spelled_count(value) && !question.uncased && !asks_often(question)
}

/// "Under which ticket": what is asked for carries a number or a code.
fn asks_label(question: &Question) -> bool {
    question
        .words
        .get(question.ask.end)
        .is_some_and(|word| LABELS.contains(&word.lower.as_str()))
}

const LABELS: [&str; 12] = [
    "ticket", "lot", "code", "gate", "port", "issue", "form", "platform", "channel", "flight", "locker",
    "bay",
];

/// "How often", "how old": a count in words is as good as digits.
fn asks_often(question: &Question) -> bool {
    question.words[question.ask.clone()]
        .iter()
        .any(|word| matches!(word.lower.as_str(), "often" | "frequently" | "regularly" | "old"))
}

/// "Under the code name Tin Whistle" names a thing, never a person.
fn is_title_of_work(sentence: &str, value: &Value) -> bool {
    words(&sentence[..value.range.start]).last().is_some_and(|word| {
        matches!(
            word.lower.as_str(),
            "name" | "codename" | "title" | "nickname" | "label"
        )
    })
}

/// "Winter Accounts": inside a title a season is no time.
fn is_capital(sentence: &str, value: &Value) -> bool {
    value.range.start > 0 && sentence[value.range.clone()].starts_with(char::is_uppercase)
}
