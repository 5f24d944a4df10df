//! Whether a piece has the form that a question wants: a value, a cause, a definition, a command.

use crate::corpus::{BlockKind, Passage};
use crate::offline::definition::{asked_definition, defines_term, starts_with_term};
use crate::offline::lexicon::lexicon;
use crate::offline::question::{AnswerType, Question, matched_words};
use crate::offline::text::{Word, words};

/// The share of the question that a sentence with all of its words has, some of them in another form.
const EVERY_WORD: f32 = 0.97;

/// How the form of a piece fits the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PieceForm {
    /// It holds what is wanted: a value, a cause, a definition, a command.
    Fits,
    /// It gives the setting or the constant whose value is asked for.
    Sets,
    /// Nothing special is wanted.
    Open,
    /// It lacks what is wanted.
    Lacks,
}

/// Whether a piece has the form that the question wants.
pub(super) fn form(
    question: &Question,
    passage: &Passage,
    text: &str,
    above: &str,
    has_value: bool,
    own: f32,
) -> PieceForm {
    let wants = |fits: bool, otherwise: PieceForm| if fits { PieceForm::Fits } else { otherwise };
    if let Some(term) = asked_definition(&question.text) {
        let is_meaning = question.text.contains(" mean");
        let opens = if is_meaning && starts_with_term(text, &term) {
            PieceForm::Open
        } else {
            PieceForm::Lacks
        };
        return wants(defines_term(text, &term), opens);
    }
    match &question.expected {
        AnswerType::Quantity { .. } | AnswerType::Date => {
            wants(has_value && passage.kind != BlockKind::Code, PieceForm::Lacks)
        }
        AnswerType::Explanation if passage.kind == BlockKind::TableRow => PieceForm::Lacks,
        // A command says how something is done, and nothing else.
        AnswerType::Explanation | AnswerType::Value
            if passage.kind == BlockKind::Code && !asks_procedure(question) =>
        {
            PieceForm::Lacks
        }
        AnswerType::Person => wants(has_value || names_somebody(question, text), PieceForm::Lacks),
        AnswerType::Name => wants(has_value, PieceForm::Lacks),
        AnswerType::Value if asks_cause(question) => {
            wants(gives_cause(question, text, above), PieceForm::Lacks)
        }
        AnswerType::Value if asks_procedure(question) => PieceForm::Open,
        AnswerType::Value
            if own >= EVERY_WORD && asks_for_subject(question) && passage.kind != BlockKind::TableRow =>
        {
            wants(has_value, PieceForm::Open)
        }
        // Otherwise, without a value, a sentence only mentions what is asked for.
        AnswerType::Value => wants(has_value, PieceForm::Lacks),
        AnswerType::Place => PieceForm::Open,
        AnswerType::Explanation if asks_cause(question) => {
            wants(gives_cause(question, text, above), PieceForm::Lacks)
        }
        AnswerType::Explanation if asks_procedure(question) => wants(
            passage.kind == BlockKind::Code || text.contains('`'),
            PieceForm::Open,
        ),
        AnswerType::Explanation => PieceForm::Open,
    }
}

/// A word with a capital that the question does not hold.
fn names_somebody(question: &Question, text: &str) -> bool {
    let is_new = |word: &Word| !question.words.iter().any(|asked| asked.lower == word.lower);
    words(text)
        .iter()
        .skip(1)
        .any(|word| word.capital && !lexicon().is_stop(&word.lower) && is_new(word))
}

/// "What becomes a dead letter?": the verb follows at once, so a sentence with the same words is the answer. "What is the
/// code of the safe?" is different: "The code of the safe changes daily" has its words and does not give the code.
fn asks_for_subject(question: &Question) -> bool {
    let verb = question.words.get(1);
    verb.is_some_and(|word| !lexicon().is_stop(&word.lower))
}

fn asks_cause(question: &Question) -> bool {
    let asks = &question.language.reasons.asks;
    holds_any(&question.words, asks)
}

fn gives_cause(question: &Question, text: &str, above: &str) -> bool {
    holds_any(
        &words(&format!("{text} {above}")),
        &question.language.reasons.gives,
    )
}

/// "How do I …", "what should I do": a way to do something is wanted.
fn asks_procedure(question: &Question) -> bool {
    holds_any(&question.words, &question.language.reasons.ways)
}

fn holds_any(tokens: &[Word], phrases: &[String]) -> bool {
    (0..tokens.len()).any(|start| {
        phrases
            .iter()
            .any(|phrase| matched_words(&tokens[start..], phrase) > 0)
    })
}
