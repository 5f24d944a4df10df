//! Small counts in words, which answer few questions: [`is_small_talk`].

use super::question::{AnswerType, Question};
use super::unit_class::UnitClass;
use super::value::{Value, ValueKind};

/// "Behind two doors", "on two servers": a small count in words is no amount and no size.
pub(crate) fn is_small_talk(question: &Question, value: &Value) -> bool {
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
    let is_spelled = value.kind == ValueKind::Number(UnitClass::Count)
        && !value.normal.starts_with(|c: char| c.is_ascii_digit());
    is_uncounted && is_spelled && !question.uncased && !asks_often(question)
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
