//! Chooses the sentences that answer a question: the gates in their order, then the score.
//!
//! The main function is [`select`]. It asks the corpus for passages that name the subject and looks at no
//! others, so its cost does not grow with the number of documents.

use std::collections::HashMap;
use std::ops::Range;

use super::aspect::{Aspects, Coverage};
use super::expected::fitting;
use super::finding::Gate;
use super::lexicon::UnitClass;
use super::question::{AnswerType, Question};
use super::sentence::sentences;
use super::structure::{holds_address, is_planted, untrusted};
use super::subject::{Place, Subject, SubjectForm};
use super::techniques::Techniques;
use super::value::{Value, ValueKind, values};
use crate::corpus::{BlockKind, Corpus, CorpusError, Passage, PassageQuery};

/// Passages asked for when the subject is known, and when it is not.
const LIMIT_WITH_SUBJECT: usize = 200;
const LIMIT_OPEN: usize = 60;
/// Least coverage of a sentence that names the subject itself.
const LEAST_DIRECT: f32 = 0.3;
/// Least coverage of a sentence whose subject stands in the title, the heading or the sentence before.
const LEAST_CONTEXT: f32 = 0.55;
/// Least coverage where no value can be checked: nothing else proves that the sentence answers.
const LEAST_UNTYPED: f32 = 0.5;
/// A sentence longer than this is no sentence but a broken table or a blob.
const LONGEST_SENTENCE: usize = 900;

/// A sentence that passed the gates.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    pub(crate) passage: Passage,
    /// Byte range in the passage.
    pub(crate) sentence: Range<usize>,
    pub(crate) coverage: f32,
    pub(crate) score: f32,
    /// Fitting values.
    pub(crate) values: Vec<Value>,
    /// All names of the sentence, for a hop.
    pub(crate) names: Vec<String>,
    /// The sentence names the subject itself.
    pub(crate) is_direct: bool,
}

impl Candidate {
    pub(crate) fn span(&self) -> &str {
        &self.passage.text[self.sentence.clone()]
    }

    /// Byte range in the document.
    pub(crate) fn range(&self) -> Range<usize> {
        self.passage.range.start + self.sentence.start..self.passage.range.start + self.sentence.end
    }
}

/// Candidates, best first, and the last gate that any sentence reached.
#[derive(Debug)]
pub(crate) struct Selection {
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) closed: Gate,
}

/// Runs the gates over the passages that name the subject.
pub(crate) fn select(corpus: &dyn Corpus, question: &Question, subject: Option<&Subject>, techniques: &Techniques) -> Result<Selection, CorpusError> {
    let aspects = Aspects::of(corpus, question, subject, techniques);
    let mut terms = aspects.terms();
    let phrases = match subject {
        Some(subject) if subject.form() == SubjectForm::Characters || subject.form() == SubjectForm::Uncased => {
            terms.insert(0, subject.text.clone());
            Vec::new()
        }
        Some(subject) => vec![subject.text.clone()],
        None => Vec::new(),
    };
    let limit = if subject.is_some() { LIMIT_WITH_SUBJECT } else { LIMIT_OPEN };
    let hits = corpus.search(&PassageQuery { phrases, terms, limit })?;
    let mut gates = Gates { question, subject, aspects: &aspects, techniques, reached: Gate::Subject, candidates: Vec::new() };
    for hit in hits {
        gates.passage(hit.passage);
    }
    let Gates { mut candidates, reached, .. } = gates;
    candidates.sort_by(|left, right| {
        right.score.total_cmp(&left.score).then_with(|| left.passage.doc.cmp(&right.passage.doc)).then(left.passage.range.start.cmp(&right.passage.range.start))
    });
    let kept = quotable(corpus, candidates, techniques)?;
    Ok(Selection { candidates: kept, closed: reached })
}

struct Gates<'a> {
    question: &'a Question,
    subject: Option<&'a Subject>,
    aspects: &'a Aspects,
    techniques: &'a Techniques,
    /// The gate at which the furthest sentence stopped.
    reached: Gate,
    candidates: Vec<Candidate>,
}

impl Gates<'_> {
    fn passage(&mut self, passage: Passage) {
        match passage.kind {
            BlockKind::Heading | BlockKind::Code => return,
            BlockKind::Paragraph | BlockKind::ListItem | BlockKind::TableRow | BlockKind::Comment | BlockKind::KeyValue => {}
        }
        let in_title = self.subject.is_some_and(|subject| {
            !subject.occurrences(&passage.title, Place::Title).is_empty() || passage.heading.as_deref().is_some_and(|heading| !subject.occurrences(heading, Place::Title).is_empty())
        });
        let mut named_before = false;
        for range in sentences(&passage.text, passage.kind) {
            let sentence = &passage.text[range.clone()];
            if range.len() > LONGEST_SENTENCE {
                continue;
            }
            let found = self.subject.map_or(Vec::new(), |subject| subject.occurrences(sentence, Place::Sentence));
            let is_direct = self.subject.is_none() || !found.is_empty();
            let by_context = in_title || (named_before && refers_back(sentence));
            named_before = !found.is_empty() || (named_before && refers_back(sentence));
            if !is_direct && !by_context {
                continue;
            }
            if let Some(candidate) = self.judge(&passage, range, &found, is_direct) {
                self.candidates.push(candidate);
            }
        }
    }

    fn judge(&mut self, passage: &Passage, range: Range<usize>, found: &[Range<usize>], is_direct: bool) -> Option<Candidate> {
        let sentence = &passage.text[range.clone()];
        let all_values = values(sentence, found);
        if !is_direct && self.names_another(sentence, &all_values) {
            return None;
        }
        self.reached = self.reached.max(Gate::AnswerType);
        let fitting = fitting(self.question, &all_values);
        let is_checkable = is_checkable(self.question, sentence);
        if self.techniques.type_gate && is_checkable && fitting.is_empty() {
            return None;
        }
        self.reached = self.reached.max(Gate::Coverage);
        let classes: Vec<UnitClass> = fitting.iter().filter_map(|value| match value.kind {
            ValueKind::Number(class) => Some(class),
            ValueKind::Date | ValueKind::Code | ValueKind::Name => None,
        }).collect();
        let coverage = self.aspects.coverage(sentence, &classes);
        if self.techniques.coverage && !self.covers(coverage, is_direct, is_checkable && !fitting.is_empty()) {
            return None;
        }
        self.reached = self.reached.max(Gate::Verbatim);
        let score = coverage.share + if is_direct { 0.1 } else { 0.0 } - (sentence.len() as f32 / 6000.0).min(0.05) + self.unit_bonus(&fitting);
        let names = all_values.iter().filter(|value| value.kind == ValueKind::Name).map(|value| sentence[value.range.clone()].to_owned()).collect();
        Some(Candidate {
            values: fitting.into_iter().cloned().collect(),
            passage: passage.clone(),
            sentence: range,
            coverage: coverage.share,
            score,
            names,
            is_direct,
        })
    }

    fn covers(&self, coverage: Coverage, is_direct: bool, is_typed: bool) -> bool {
        if self.aspects.is_empty() {
            return is_typed;
        }
        let least = match (is_direct, is_typed) {
            (true, true) if self.subject.is_some() => LEAST_DIRECT,
            (true, _) => LEAST_UNTYPED,
            (false, true) if self.question.uncased => LEAST_UNTYPED - 0.1,
            (false, true) => LEAST_CONTEXT,
            (false, false) => LEAST_UNTYPED,
        };
        coverage.speaks && coverage.share >= least
    }

    /// "How many passengers": the number stands right before the word or its synonym.
    fn unit_bonus(&self, fitting: &[&Value]) -> f32 {
        let AnswerType::Quantity { classes } = &self.question.expected else { return 0.0 };
        let is_named = fitting.iter().any(|value| match value.kind {
            ValueKind::Number(class) => classes.contains(&class) && value.unit.is_some(),
            ValueKind::Date | ValueKind::Code | ValueKind::Name => false,
        });
        if is_named { 0.05 } else { 0.0 }
    }

    /// A sentence without the subject that names a sister of it, or any other thing with a full name.
    fn names_another(&self, sentence: &str, values: &[Value]) -> bool {
        let Some(subject) = self.subject else { return false };
        let shares_word = |value: &Value| value.normal.split(' ').any(|part| subject.parts().iter().any(|own| own == part));
        let wants_name = matches!(self.question.expected, AnswerType::Person | AnswerType::Place | AnswerType::Value);
        let names_sister = values.iter().filter(|value| value.kind == ValueKind::Name).any(|value| {
            shares_word(value) || (!wants_name && value.normal.contains(' ')) || subject.parts().last().is_some_and(|head| follows(sentence, value, head))
        });
        names_sister
    }
}

fn follows(sentence: &str, value: &Value, head: &str) -> bool {
    sentence[value.range.end..].trim_start().to_lowercase().starts_with(head)
}

/// "It stands …", "The station was …": the sentence takes its subject from the one before.
fn refers_back(sentence: &str) -> bool {
    let first = sentence.split_whitespace().next().unwrap_or("").to_lowercase();
    matches!(first.as_str(), "it" | "its" | "they" | "their" | "this" | "these" | "she" | "he" | "her" | "his" | "there" | "es" | "sie" | "er" | "dort")
}

/// In scripts without capitals a name cannot be told, so only numbers and dates are checked there.
fn is_checkable(question: &Question, sentence: &str) -> bool {
    match question.expected {
        AnswerType::Quantity { .. } | AnswerType::Date => true,
        AnswerType::Person | AnswerType::Place | AnswerType::Value => !question.uncased && !super::text::is_uncased(sentence),
        AnswerType::Explanation => false,
    }
}

/// The fourth gate: what cannot be quoted is left out.
pub(crate) fn quotable(corpus: &dyn Corpus, candidates: Vec<Candidate>, techniques: &Techniques) -> Result<Vec<Candidate>, CorpusError> {
    let mut by_doc: HashMap<String, Vec<(u32, bool)>> = HashMap::new();
    let mut kept = Vec::new();
    for candidate in candidates {
        if candidate.span().trim().is_empty() || holds_address(candidate.span()) {
            continue;
        }
        if techniques.structure {
            let doc = &candidate.passage.doc;
            if !by_doc.contains_key(doc) {
                let passages = corpus.passages(doc)?;
                let marks = untrusted(&passages);
                by_doc.insert(doc.clone(), passages.iter().map(|passage| passage.ordinal).zip(marks).collect());
            }
            let is_marked = by_doc[doc].iter().any(|(ordinal, mark)| *mark && *ordinal == candidate.passage.ordinal);
            if is_marked || is_planted(&candidate.passage.text) {
                continue;
            }
        }
        kept.push(candidate);
        if kept.len() >= 40 {
            break;
        }
    }
    Ok(kept)
}
