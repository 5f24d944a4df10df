//! The second gate: does a sentence hold a value of the expected type and unit?
//!
//! The one function is [`fitting`]. It judges values only; what the sentence speaks of is the third gate.

use super::lexicon::UnitClass;
use super::question::{AnswerType, Question};
use super::value::{Value, ValueKind};

/// The values of a sentence that could answer the question; empty when the gate closes.
///
/// Values in brackets count only where nothing else fits. Words of the question are no answer to it.
pub(crate) fn fitting<'a>(question: &Question, values: &'a [Value]) -> Vec<&'a Value> {
    let fits = |value: &&Value| !is_in_question(question, value) && kind_fits(&question.expected, value);
    let outside: Vec<&Value> = values.iter().filter(|value| !value.aside).filter(fits).collect();
    if !outside.is_empty() {
        return outside;
    }
    values.iter().filter(|value| value.aside && value.kind != ValueKind::Date).filter(fits).collect()
}

fn is_in_question(question: &Question, value: &Value) -> bool {
    match value.kind {
        ValueKind::Name => {
            let n_new = value.normal.split(' ').filter(|part| !question.words.iter().any(|word| word.lower == *part)).count();
            n_new == 0
        }
        ValueKind::Number(_) | ValueKind::Code | ValueKind::Date => {
            question.words.iter().any(|word| word.lower == value.normal && !word.cjk)
        }
    }
}

fn kind_fits(expected: &AnswerType, value: &Value) -> bool {
    match (expected, value.kind) {
        (AnswerType::Person | AnswerType::Place, ValueKind::Name) => true,
        (AnswerType::Person | AnswerType::Place, ValueKind::Number(_) | ValueKind::Code | ValueKind::Date) => false,
        (AnswerType::Date, ValueKind::Date) => true,
        (AnswerType::Date, ValueKind::Number(_) | ValueKind::Code | ValueKind::Name) => false,
        (AnswerType::Quantity { classes }, ValueKind::Number(class)) => class_fits(classes, class),
        (AnswerType::Quantity { classes }, ValueKind::Code) => classes.is_empty(),
        (AnswerType::Quantity { .. }, ValueKind::Date | ValueKind::Name) => false,
        (AnswerType::Value | AnswerType::Explanation, _) => true,
    }
}

/// A known unit of another class never fits; an unknown unit may be one the files do not list.
fn class_fits(classes: &[UnitClass], class: UnitClass) -> bool {
    if classes.is_empty() || classes.contains(&class) {
        return true;
    }
    class == UnitClass::Count && classes.iter().any(|class| matches!(class, UnitClass::Money | UnitClass::Frequency))
}
