//! Pieces of documents that speak of a question: sentences, lines of code, rows of tables.
//!
//! The main type is [`Piece`]. It says how much of the question it speaks of, by itself and with what a reader has
//! seen above it, which values in it could answer, and whether it has the form that the question wants.

mod form;
/// What stands around a piece.
mod surroundings;

use std::ops::Range;

pub(crate) use form::PieceForm;
use form::form;
use surroundings::{above, below, is_asking, lines, with_answers};

use super::addresses::holds_address;
use super::documents::OpenDocument;
use super::expected::fitting_values;
use super::finding::Finding;
use super::lexicon::lexicon;
use super::question::{AnswerType, Question};
use super::select::Candidate;
use super::sentence::sentences;
use super::table;
use super::terms::{QueryTerms, WordForms};
use super::text::{Word, likeness, words};
use super::unit_class::UnitClass;
use super::value::{Value, ValueKind, values};
use crate::corpus::{BlockKind, Passage};

/// A quote is not made longer than this by its neighbours, in bytes.
const LONGEST_QUOTE: usize = 600;
/// How many words away a number may be from the words of the question.
const NEAR: usize = 3;
/// A piece longer than this is no sentence but a blob.
const LONGEST_PIECE: usize = 900;
/// How much words count that are in the same passage, and above it.
const SAME_PASSAGE: f32 = 0.85;
const ABOVE: f32 = 0.8;

/// A piece of a document that speaks of the question.
#[derive(Debug)]
pub(crate) struct Piece {
    pub(crate) passage: Passage,
    /// The sentence, line or row.
    range: Range<usize>,
    /// Only the sentence itself is quoted.
    is_strict: bool,
    /// How well it and what is above it speak of each word.
    pub(crate) qualities: Vec<f32>,
    /// The share of the question that they speak of, and that it speaks of by itself.
    pub(crate) share: f32,
    pub(crate) own: f32,
    pub(crate) score: f32,
    /// It speaks of every name and number of the question, or stands under them.
    pub(crate) holds_names: bool,
    /// How many words that matter are not spoken of.
    pub(crate) missing: f32,
    values: Vec<Value>,
    pub(crate) form: PieceForm,
    /// The line that a comment is about, with its fitting values.
    below: Option<BelowHeading>,
}

#[derive(Debug)]
struct BelowHeading {
    passage: Passage,
    line: Range<usize>,
    values: Vec<Value>,
}

impl Piece {
    /// All pieces of a passage that speak of the question.
    pub(crate) fn of(
        question: &Question,
        terms: &QueryTerms,
        document: &OpenDocument,
        passage: &Passage,
        is_named: bool,
    ) -> Vec<Self> {
        let ranges = match passage.kind {
            BlockKind::Heading => return Vec::new(),
            BlockKind::TableRow if table::is_head(document, passage) => return Vec::new(),
            BlockKind::TableRow => std::iter::once(0..passage.text.len()).collect(),
            BlockKind::Code => lines(&passage.text),
            BlockKind::Paragraph | BlockKind::ListItem | BlockKind::Comment | BlockKind::KeyValue => {
                with_answers(&passage.text, sentences(&passage.text, passage.kind))
            }
        };
        let above = above(document, passage);
        let by_above = terms.qualities(&WordForms::of(&above), &[]);
        let by_passage = terms.qualities(&WordForms::of(&passage.text), &[]);
        // What is said about a name of several words is said in its sentence.
        let same_passage = if is_named { 0.0 } else { SAME_PASSAGE };
        let asked = question.text.trim_end_matches('?').to_lowercase();
        let may_answer = |range: &Range<usize>| {
            let text = &passage.text[range.clone()];
            // A command line that asks the question does not answer it.
            let asks = passage.kind == BlockKind::Code && text.to_lowercase().contains(&asked);
            range.len() <= LONGEST_PIECE && !holds_address(text) && !asks
        };
        let mut pieces = Vec::new();
        for range in ranges.into_iter().filter(may_answer) {
            let mut text = passage.text[range.clone()].to_owned();
            let values = wanted_values(question, terms, &text);
            let below = below(document, passage, &range).map(|(passage, line)| BelowHeading {
                values: wanted_values(question, terms, &passage.text[line.clone()]),
                passage,
                line,
            });
            if let Some(below) = &below {
                text = format!("{text}\n{}", &below.passage.text[below.line.clone()]);
            }
            let kinds: Vec<&str> = values.iter().filter_map(kind_name).collect();
            let own = terms.qualities(&WordForms::of(&text), &kinds);
            let around = by_passage.iter().zip(&by_above);
            let qualities: Vec<f32> = around
                .zip(&own)
                .map(|((passage, above), own)| own.max(passage * same_passage).max(above * ABOVE))
                .collect();
            let own_share = terms.share(&own);
            if own_share <= 0.0 {
                continue;
            }
            let has_value =
                !values.is_empty() || below.as_ref().is_some_and(|below| !below.values.is_empty());
            let form = if is_setting(terms, passage, &text) {
                PieceForm::Sets
            } else {
                form(question, passage, &text, &above, has_value, own_share)
            };
            let form = if is_named
                && form == PieceForm::Open
                && question.expected != AnswerType::Explanation
                && !has_value
            {
                PieceForm::Lacks
            } else {
                form
            };
            let strict: Vec<f32> = own
                .iter()
                .zip(&by_above)
                .map(|(own, above)| own.max(*above))
                .collect();
            // A value belongs to its own sentence, unless the passage is an item of a list.
            let proof = match question.expected {
                AnswerType::Quantity { .. } | AnswerType::Date if passage.kind == BlockKind::Paragraph => {
                    &strict
                }
                _ => &qualities,
            };
            let holds_names = terms.holds_required(proof);
            let missing = terms.missing(proof);
            let share = terms.share(&qualities);
            pieces.push(Self {
                score: share + 0.3 * own_share + bonus(form, &text),
                passage: passage.clone(),
                range,
                is_strict: is_named,
                share,
                own: own_share,
                missing,
                qualities,
                holds_names,
                values,
                form,
                below,
            });
        }
        pieces
    }

    pub(crate) fn text(&self) -> &str {
        &self.passage.text[self.range.clone()]
    }

    /// The value that it gives, or that the line below it gives.
    pub(crate) fn value(&self) -> Option<&Value> {
        let below = self.below.iter().flat_map(|below| &below.values);
        self.values.iter().chain(below).next()
    }

    /// It is a piece of this passage.
    pub(crate) fn is_in(&self, passage: &Passage) -> bool {
        self.passage.doc == passage.doc && self.passage.ordinal == passage.ordinal
    }

    /// Where it begins in its document.
    pub(crate) fn start(&self) -> usize {
        self.passage.range.start + self.range.start
    }

    /// Kinds of its values, dates and plain counts apart.
    pub(crate) fn kinds(&self) -> Vec<&'static str> {
        let kinds = self.values.iter().filter_map(kind_name);
        kinds.filter(|kind| !matches!(*kind, "date" | "count")).collect()
    }

    /// The quotes that answer: with neighbours where the whole explains, and with the line that it is about.
    pub(crate) fn findings(&self, question: &Question) -> Vec<Finding> {
        let range = match question.expected {
            AnswerType::Quantity { .. } | AnswerType::Date => self.range.clone(),
            AnswerType::Explanation
            | AnswerType::Value
            | AnswerType::Person
            | AnswerType::Place
            | AnswerType::Name
                if self.is_strict =>
            {
                self.range.clone()
            }
            AnswerType::Explanation
            | AnswerType::Value
            | AnswerType::Person
            | AnswerType::Place
            | AnswerType::Name => self.window(),
        };
        let value = self
            .values
            .first()
            .and_then(|value| self.text().get(value.range.clone()));
        let first = Finding {
            value: value.map(str::to_owned),
            ..quoted(&self.passage, range, self.share)
        };
        let below = self
            .below
            .as_ref()
            .map(|below| quoted(&below.passage, below.line.clone(), self.share));
        std::iter::once(first).chain(below).collect()
    }

    /// The quotes of the piece as a passage that may not answer.
    pub(crate) fn to_findings(&self) -> Vec<Finding> {
        let below = self
            .below
            .as_ref()
            .map(|below| quoted(&below.passage, below.line.clone(), self.share));
        std::iter::once(quoted(&self.passage, self.window(), self.share))
            .chain(below)
            .collect()
    }

    /// The sentence or the line that gives its value, for the comparison with other documents.
    pub(crate) fn candidate(&self) -> Candidate {
        let (passage, sentence, values) = match &self.below {
            Some(below) if self.values.is_empty() => (&below.passage, &below.line, &below.values),
            _ => (&self.passage, &self.range, &self.values),
        };
        Candidate {
            passage: passage.clone(),
            sentence: sentence.clone(),
            coverage: self.share,
            score: self.score,
            values: values.clone(),
            names: Vec::new(),
            is_direct: true,
        }
    }

    /// The piece with its neighbours, up to the longest quote: the whole passage, or what follows.
    fn window(&self) -> Range<usize> {
        let text = &self.passage.text;
        let mut window = self.range.clone();
        if text.len() <= LONGEST_QUOTE {
            window = 0..text.len();
        } else {
            for next in sentences(text, self.passage.kind) {
                if next.start >= window.end && next.end - window.start <= LONGEST_QUOTE {
                    window.end = next.end;
                }
            }
        }
        if holds_address(&text[window.clone()]) {
            self.range.clone()
        } else {
            window
        }
    }
}

/// A range of a passage as a finding.
pub(crate) fn quoted(passage: &Passage, range: Range<usize>, share: f32) -> Finding {
    Finding {
        doc: passage.doc.clone(),
        title: passage.title.clone(),
        date: passage.date.clone(),
        span: passage.text[range.clone()].to_owned(),
        range: passage.range.start + range.start..passage.range.start + range.end,
        value: None,
        score: share,
        why: format!("It speaks of {:.0} % of what was asked.", share * 100.0),
    }
}

/// What the form is worth; a question that a document repeats is no answer to it.
fn bonus(form: PieceForm, text: &str) -> f32 {
    let by_form = match form {
        PieceForm::Fits | PieceForm::Sets => 0.1,
        PieceForm::Open => 0.0,
        PieceForm::Lacks => -0.05,
    };
    by_form - if is_asking(text) { 0.3 } else { 0.0 } - (text.len() as f32 / 6000.0).min(0.05)
}

/// The values that could answer: of the type, beside the words of the question where any number would do, and
/// before the things that are counted.
fn wanted_values(question: &Question, terms: &QueryTerms, text: &str) -> Vec<Value> {
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
        found.retain(|value| {
            let before = tokens
                .iter()
                .rev()
                .filter(|word| word.range.end <= value.range.start);
            let after = tokens.iter().filter(|word| word.range.start >= value.range.end);
            before.take(NEAR).chain(after.take(NEAR)).any(is_asked)
        });
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
            || tokens
                .iter()
                .filter(|word| word.range.start >= value.range.end)
                .take(3)
                .any(is_counted)
    });
    found
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

/// A line or a sentence that begins with an identifier of the question: `max_attempts = 3`.
fn is_setting(terms: &QueryTerms, passage: &Passage, text: &str) -> bool {
    let is_line = text.starts_with('`')
        || matches!(
            passage.kind,
            BlockKind::KeyValue | BlockKind::Code | BlockKind::TableRow
        );
    let text = text.trim_start_matches(['`', '|', ' ', '"', '-', '*']);
    let first = text
        .split([':', '=', '|', ' ', '\t', ',', '`'])
        .next()
        .unwrap_or("");
    let forms = WordForms::of(first);
    let mut named = terms.entries().iter().zip(terms.qualities(&forms, &[]));
    is_line && named.any(|(term, quality)| term.is_identifier() && quality > 0.8)
}

/// The name of what a value measures, as the language files link it to words.
fn kind_name(value: &Value) -> Option<&'static str> {
    match value.kind {
        ValueKind::Number(class) => Some(class.name()),
        ValueKind::Date => Some("date"),
        ValueKind::Code | ValueKind::Name => None,
    }
}
