//! The second gate: does a sentence hold a value of the expected type and unit?
//!
//! The one function is [`fitting`]. It judges values only; what the sentence speaks of is the third gate.

use super::question::{AnswerType, Question};
use super::text::stem;
use super::value::{Value, ValueKind};

/// The values of a sentence that could answer the question; empty when the gate closes.
///
/// Values in brackets count only where nothing else fits. Words of the question are no answer to it.
pub(crate) fn fitting_values<'a>(question: &Question, values: &'a [Value]) -> Vec<&'a Value> {
    let fits = |value: &&Value| {
        !is_in_question(question, value)
            && kind_fits(question, value)
            && unit_fits(question, value)
            && name_fits(question, value)
            && counter_fits(question, value)
    };
    let outside: Vec<&Value> = values.iter().filter(|value| !value.aside).filter(fits).collect();
    if !outside.is_empty() {
        return outside;
    }
    values
        .iter()
        .filter(|value| value.aside && value.kind != ValueKind::Date)
        .filter(fits)
        .collect()
}

/// "… in kilometres": another unit of the same kind is another value.
fn unit_fits(question: &Question, value: &Value) -> bool {
    match (&question.unit, &value.unit) {
        (Some(wanted), Some(unit)) => stem(wanted) == stem(unit),
        (Some(_), None) | (None, _) => true,
    }
}

/// "何台": what counts cars counts nothing else.
fn counter_fits(question: &Question, value: &Value) -> bool {
    let ask = &question.text[question.ask_bytes.clone()];
    let Some(counter) = ask
        .strip_prefix('何')
        .filter(|counter| counter.chars().count() == 1)
    else {
        return true;
    };
    match (value.kind, &value.unit) {
        (ValueKind::Number(_), Some(unit)) => unit.starts_with(counter),
        (ValueKind::Number(_) | ValueKind::Date | ValueKind::Code | ValueKind::Name, _) => true,
    }
}

/// German writes every noun with a capital, so only two words in a row make a name there.
fn name_fits(question: &Question, value: &Value) -> bool {
    let wants_name = matches!(question.expected, AnswerType::Person | AnswerType::Name);
    question.language.code != "de"
        || !wants_name
        || value.kind != ValueKind::Name
        || value.normal.contains(' ')
}

fn is_in_question(question: &Question, value: &Value) -> bool {
    match value.kind {
        ValueKind::Name => {
            let n_new = value
                .normal
                .split(' ')
                .filter(|part| !question.words.iter().any(|word| word.lower == *part))
                .count();
            n_new == 0
        }
        ValueKind::Number(_) | ValueKind::Code | ValueKind::Date => question.words.iter().any(|word| {
            (word.lower == value.normal || stem(&word.lower) == stem(&value.normal)) && !word.cjk
        }),
    }
}

fn kind_fits(question: &Question, value: &Value) -> bool {
    match (&question.expected, value.kind) {
        (AnswerType::Person | AnswerType::Place | AnswerType::Name, ValueKind::Name) => true,
        (
            AnswerType::Person | AnswerType::Place | AnswerType::Name,
            ValueKind::Number(_) | ValueKind::Code | ValueKind::Date,
        ) => false,
        (AnswerType::Date, ValueKind::Date) => true,
        (AnswerType::Date, ValueKind::Number(_) | ValueKind::Code | ValueKind::Name) => false,
        (AnswerType::Quantity { classes }, ValueKind::Number(class)) => {
            classes.is_empty() || classes.contains(&class)
        }
        (AnswerType::Quantity { classes }, ValueKind::Code) => classes.is_empty(),
        (AnswerType::Quantity { .. }, ValueKind::Date | ValueKind::Name) => false,
        (AnswerType::Value | AnswerType::Explanation, ValueKind::Date) => {
            value.normal.chars().any(|c| c.is_ascii_digit())
        }
        (
            AnswerType::Value | AnswerType::Explanation,
            ValueKind::Number(_) | ValueKind::Code | ValueKind::Name,
        ) => true,
    }
}
