//! The gates that a sentence passes, in their order: subject, answer type, coverage.
//!
//! The main type is [`Gates`]. It judges one passage at a time and remembers how far the best sentence
//! came, which is the reason given when none passes. The last gate, quoting, is in `select`.

use std::ops::Range;

use super::aspect::Coverage;
use super::documents::OpenDocuments;
use super::expected::fitting_values;
use super::finding::Gate;
use super::fit::{Fit, is_checkable};
use super::question::AnswerType;
use super::select::{Candidate, Search};
use super::sentence::sentences;
use super::small_count::is_small_talk;
use super::subject::{Place, defines, is_titled};
use super::table::{cells, column_heads};
use super::text::words;
use super::unit_class::UnitClass;
use super::value::{Value, ValueKind, values};
use crate::corpus::{BlockKind, CorpusError, Passage};

/// A sentence longer than this is no sentence but a broken table or a blob.
const LONGEST_SENTENCE: usize = 900;

/// The gates, with the sentences that passed them.
pub(crate) struct Gates<'a> {
    pub(crate) documents: OpenDocuments<'a>,
    pub(crate) search: Search<'a>,
    /// The gate at which the furthest sentence stopped.
    pub(crate) reached: Gate,
    pub(crate) candidates: Vec<Candidate>,
}

impl Gates<'_> {
    /// Judges the sentences of a passage that may be about the subject.
    pub(crate) fn passage(&mut self, passage: &Passage) -> Result<(), CorpusError> {
        let subject = self.search.subject;
        match passage.kind {
            BlockKind::Heading | BlockKind::Code => return Ok(()),
            BlockKind::TableRow => return self.table_row(passage),
            BlockKind::Paragraph | BlockKind::ListItem | BlockKind::Comment | BlockKind::KeyValue => {}
        }
        let in_title = subject.is_some_and(|subject| is_titled(subject, passage));
        for range in sentences(&passage.text, passage.kind) {
            let sentence = &passage.text[range.clone()];
            if range.len() > LONGEST_SENTENCE {
                continue;
            }
            let found = subject.map_or(Vec::new(), |subject| {
                subject.occurrences(sentence, Place::Sentence)
            });
            let is_direct = subject.is_none() || !found.is_empty();
            if is_direct || in_title {
                self.judge(
                    passage,
                    JudgedPiece {
                        span: range.clone(),
                        part: range,
                        label: String::new(),
                        skip: found,
                        is_direct,
                    },
                );
            }
        }
        Ok(())
    }

    /// A row answers cell by cell, each under the head of its column.
    fn table_row(&mut self, passage: &Passage) -> Result<(), CorpusError> {
        let row = &passage.text;
        let found = self
            .search
            .subject
            .map_or(Vec::new(), |subject| subject.occurrences(row, Place::Title));
        let is_direct = self.search.subject.is_none() || !found.is_empty();
        let by_context = self
            .search
            .subject
            .is_some_and(|subject| is_titled(subject, passage));
        if !is_direct && !by_context || row.len() > LONGEST_SENTENCE {
            return Ok(());
        }
        let heads = column_heads(self.documents.open(&passage.doc)?, passage);
        let span = row.len() - row.trim_start().len()..row.trim_end().len();
        for (column, part) in cells(&passage.doc, row).into_iter().enumerate() {
            let label = heads.get(column).cloned().unwrap_or_default();
            let first = if is_direct {
                String::new()
            } else {
                cells(&passage.doc, row)
                    .first()
                    .map_or(String::new(), |cell| row[cell.clone()].to_owned())
            };
            let skip = found
                .iter()
                .filter(|range| part.start <= range.start && range.end <= part.end)
                .map(|range| range.start - part.start..range.end - part.start)
                .collect();
            self.judge(
                passage,
                JudgedPiece {
                    span: span.clone(),
                    part,
                    label: format!("{label} {first}"),
                    skip,
                    is_direct,
                },
            );
        }
        Ok(())
    }

    fn judge(&mut self, passage: &Passage, piece: JudgedPiece) {
        let Search {
            question,
            subject,
            aspects,
            ..
        } = self.search;
        let sentence = &passage.text[piece.part.clone()];
        let all_values = values(sentence, &piece.skip);
        if !piece.is_direct && self.names_another(sentence, &all_values) {
            return;
        }
        self.reached = self.reached.max(Gate::AnswerType);
        let mut fitting = fitting_values(question, &all_values);
        fitting.retain(|value| self.counts_what_is_asked(sentence, value) && !is_small_talk(question, value));
        let is_checkable = is_checkable(question, sentence);
        let is_definition = piece.is_direct
            && question.expected == AnswerType::Value
            && subject.is_some_and(|subject| defines(question, subject));
        if is_checkable && fitting.is_empty() && !is_definition || !self.names_somebody(sentence) {
            return;
        }
        self.reached = self.reached.max(Gate::Coverage);
        let kinds: Vec<&str> = fitting
            .iter()
            .filter_map(|value| match value.kind {
                ValueKind::Number(class) => Some(class.name()),
                ValueKind::Date => Some("date"),
                ValueKind::Code | ValueKind::Name => None,
            })
            .collect();
        // The words of the answer itself do not say what it answers.
        let mut skip = piece.skip.clone();
        skip.extend(
            fitting
                .iter()
                .filter(|value| value.kind == ValueKind::Name)
                .map(|value| value.range.clone()),
        );
        let mut coverage = aspects.coverage(sentence, &skip, &kinds);
        let context = self.context(passage, &piece);
        if !context.is_empty() && (coverage.speaks || !piece.label.is_empty()) {
            coverage = aspects.coverage(&format!("{sentence} {context}"), &skip, &kinds);
        }
        let fit = if is_checkable {
            Fit::of(question, &fitting)
        } else {
            Fit::Untyped
        };
        if !self.covers(coverage, piece.is_direct, fit) {
            return;
        }
        self.reached = self.reached.max(Gate::Verbatim);
        let score = coverage.share + if piece.is_direct { 0.1 } else { 0.0 }
            - (sentence.len() as f32 / 6000.0).min(0.05);
        let names = all_values
            .iter()
            .filter(|value| value.kind == ValueKind::Name)
            .map(|value| sentence[value.range.clone()].to_owned())
            .collect();
        let shift = piece.part.start - piece.span.start;
        let values = fitting.into_iter().cloned().map(|mut value| {
            value.range = value.range.start + shift..value.range.end + shift;
            value
        });
        self.candidates.push(Candidate {
            values: values.collect(),
            passage: passage.clone(),
            sentence: piece.span,
            coverage: coverage.share,
            score,
            names,
            is_direct: piece.is_direct,
        });
    }

    /// Words that count for a piece but stand elsewhere: the head of its column, the title above it.
    fn context(&self, passage: &Passage, piece: &JudgedPiece) -> String {
        if piece.is_direct || self.search.question.uncased {
            return piece.label.trim().to_owned();
        }
        format!(
            "{} {} {}",
            piece.label,
            passage.title,
            passage.heading.as_deref().unwrap_or("")
        )
        .trim()
        .to_owned()
    }

    /// "How many N": a small number in words is an answer only where it counts N.
    fn counts_what_is_asked(&self, sentence: &str, value: &Value) -> bool {
        let counted = &self.search.question.counted;
        let is_digits = value.normal.starts_with(|c: char| c.is_ascii_digit());
        let is_also_unit =
            matches!(&self.search.question.expected, AnswerType::Quantity { classes } if classes.len() > 1);
        if value.kind != ValueKind::Number(UnitClass::Count)
            || counted.is_empty()
            || self.search.question.uncased
            || is_digits && !is_also_unit
        {
            return true;
        }
        words(&sentence[value.range.end..]).iter().take(4).any(|word| {
            counted
                .iter()
                .any(|noun| self.search.aspects.counts_same(noun, &word.lower))
        })
    }

    /// Without capitals, "who is …" needs a sentence of the form that names somebody.
    fn names_somebody(&self, sentence: &str) -> bool {
        let question = self.search.question;
        let wants_name = matches!(question.expected, AnswerType::Person | AnswerType::Name);
        !wants_name
            || !question.uncased
            || question.language.naming.is_empty()
            || question
                .language
                .naming
                .iter()
                .any(|marker| sentence.contains(marker.as_str()))
    }

    fn covers(&self, coverage: Coverage, is_direct: bool, fit: Fit) -> bool {
        if self.search.aspects.is_empty() {
            return fit != Fit::Untyped;
        }
        if let Some(least) = self.search.least {
            return coverage.speaks && coverage.share >= least && is_direct;
        }
        let least = fit.least(self.search.question, self.search.subject.is_some(), is_direct);
        coverage.speaks && coverage.share >= least
    }

    /// A sentence without the subject that names a sister of it, or any other thing with a full name.
    fn names_another(&self, sentence: &str, values: &[Value]) -> bool {
        let Some(subject) = self.search.subject else {
            return false;
        };
        let shares_word = |value: &Value| {
            value
                .normal
                .split(' ')
                .any(|part| subject.parts().iter().any(|own| own == part))
        };
        let wants_name = matches!(
            self.search.question.expected,
            AnswerType::Person | AnswerType::Place | AnswerType::Value | AnswerType::Name
        );
        let wants_person = self.search.question.expected == AnswerType::Person;
        let is_asked = |value: &Value| {
            value
                .normal
                .split(' ')
                .all(|part| self.search.question.words.iter().any(|word| word.lower == part))
        };

        values
            .iter()
            .filter(|value| value.kind == ValueKind::Name && !is_asked(value))
            .any(|value| {
                shares_word(value)
                    || (!wants_name && value.normal.contains(' '))
                    || (wants_person && value.normal.contains(' ') && is_owner(sentence, value))
            })
    }
}

/// One piece of a passage that is judged: a sentence, or a cell that is quoted with its row.
struct JudgedPiece {
    /// What would be quoted, in the passage.
    span: Range<usize>,
    /// What is read, in the passage.
    part: Range<usize>,
    /// Words that count for coverage but stand elsewhere, such as the head of a column.
    label: String,
    /// Where the subject stands, in the part.
    skip: Vec<Range<usize>>,
    is_direct: bool,
}

/// "the keeper of Y", "the master at Y": Y is what the role belongs to, not the person who has it.
fn is_owner(sentence: &str, value: &Value) -> bool {
    let before = sentence[..value.range.start].trim_end().to_lowercase();
    let before = before.strip_suffix("the").unwrap_or(&before);
    let last = before.split_whitespace().next_back().unwrap_or("");
    matches!(last, "of" | "at" | "for")
}
