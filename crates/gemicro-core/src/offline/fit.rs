//! How surely a value is of the type that was asked for, and how much a sentence must cover for it.
//!
//! The main type is [`Fit`]. The less a value proves by its type, the more the words of its sentence must.

use super::question::{AnswerType, Question};
use super::text::is_uncased;
use super::value::{Value, ValueKind};

/// Least coverage of a sentence that names the subject itself.
const LEAST_DIRECT: f32 = 0.3;
/// Least coverage of a sentence whose subject stands in the title, the heading or the sentence before.
const LEAST_CONTEXT: f32 = 0.55;
/// Least coverage where no name says what the question is about: the words alone must.
const LEAST_OPEN: f32 = 0.7;
/// Least coverage where no value can be checked: nothing else proves that the sentence answers.
const LEAST_UNTYPED: f32 = 0.5;
/// Least coverage where the value fits only loosely: some number, a weekday.
const LEAST_LOOSE: f32 = 0.55;

/// How surely the values of a sentence are of the type that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fit {
    /// Of the type and unit.
    Typed,
    Loose,
    Untyped,
}

impl Fit {
    /// The fit of values that passed the second gate.
    pub(crate) fn of(question: &Question, fitting: &[&Value]) -> Self {
        if fitting.is_empty() {
            Self::Untyped
        } else if is_loose(question, fitting) {
            Self::Loose
        } else {
            Self::Typed
        }
    }

    /// The least coverage of a sentence with such values.
    pub(crate) fn least(self, question: &Question, has_subject: bool, is_direct: bool) -> f32 {
        if !has_subject && !question.uncased {
            return LEAST_OPEN;
        }
        match (is_direct, self) {
            (true, Self::Typed) if has_subject => LEAST_DIRECT,
            (true, Self::Loose) => LEAST_LOOSE,
            (true, Self::Typed | Self::Untyped) | (false, Self::Untyped) => LEAST_UNTYPED,
            (false, Self::Typed | Self::Loose) if question.uncased => LEAST_UNTYPED - 0.1,
            (false, Self::Typed | Self::Loose) => LEAST_CONTEXT,
        }
    }
}

/// In scripts without capitals a name cannot be told, so only numbers and dates are checked there.
pub(crate) fn is_checkable(question: &Question, sentence: &str) -> bool {
    match question.expected {
        AnswerType::Quantity { .. } | AnswerType::Date => true,
        AnswerType::Person | AnswerType::Place | AnswerType::Value | AnswerType::Name => {
            !question.uncased && !is_uncased(sentence)
        }
        AnswerType::Explanation => false,
    }
}

/// Nothing but a number where no number was asked for, or a weekday or season for "when".
fn is_loose(question: &Question, fitting: &[&Value]) -> bool {
    let is_number = |value: &&Value| matches!(value.kind, ValueKind::Number(_) | ValueKind::Date);
    match &question.expected {
        AnswerType::Value => fitting.iter().all(is_number),
        AnswerType::Date => !question.uncased && fitting.iter().all(|value| is_vague_date(&value.normal)),
        AnswerType::Person
        | AnswerType::Place
        | AnswerType::Name
        | AnswerType::Quantity { .. }
        | AnswerType::Explanation => false,
    }
}

/// A season, a weekday or a feast: seldom the date that "when" asks for.
fn is_vague_date(normal: &str) -> bool {
    !is_clock(normal) && normal.chars().any(|c| !c.is_ascii_digit() && c != '-')
}

/// The date value gives a time of day.
pub(crate) fn is_clock(normal: &str) -> bool {
    const ENDINGS: [&str; 8] = ["noon", "midnight", " am", " pm", " a", " p", "o'clock", "uhr"];
    normal.contains(':')
        || normal.starts_with(|c: char| c.is_ascii_digit()) && normal.ends_with('m')
        || ENDINGS.iter().any(|ending| normal.ends_with(ending))
}
