//! Chooses the sentences that answer a question: the gates in their order, then the score.
//!
//! The main function is [`select`]. It asks the corpus for passages that name the subject and looks at no
//! others, so its cost does not grow with the number of documents.

use std::ops::Range;

use super::addresses::holds_address;
use super::aspect::Aspects;
use super::documents::OpenDocuments;
use super::finding::Gate;
use super::gates::Gates;
use super::question::Question;
use super::subject::{Subject, SubjectForm};
use super::value::Value;
use crate::corpus::{Corpus, CorpusError, Passage, PassageQuery};

/// Passages asked for when the subject is known, and when it is not.
const LIMIT_WITH_SUBJECT: usize = 200;
const LIMIT_OPEN: usize = 60;

/// A sentence that passed the gates.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    pub(crate) passage: Passage,
    /// Byte range in the passage.
    pub(crate) sentence: Range<usize>,
    pub(crate) coverage: f32,
    pub(crate) score: f32,
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

/// What is looked for.
#[derive(Clone, Copy)]
pub(crate) struct Search<'a> {
    pub(crate) question: &'a Question,
    pub(crate) subject: Option<&'a Subject>,
    pub(crate) aspects: &'a Aspects,
    /// Least coverage, where it is not the usual one.
    pub(crate) least: Option<f32>,
}

/// Runs the gates over the passages that name the subject.
pub(crate) fn select(corpus: &dyn Corpus, search: Search<'_>) -> Result<Selection, CorpusError> {
    let Search { subject, aspects, .. } = search;
    let mut terms = aspects.terms();
    let phrases = match subject {
        Some(subject)
            if subject.form() == SubjectForm::Characters || subject.form() == SubjectForm::Uncased =>
        {
            terms.insert(0, subject.text.clone());
            Vec::new()
        }
        Some(subject) => vec![subject.text.clone()],
        None => Vec::new(),
    };
    let limit = if subject.is_some() {
        LIMIT_WITH_SUBJECT
    } else {
        LIMIT_OPEN
    };
    let hits = corpus.search(&PassageQuery {
        phrases,
        terms,
        limit,
    })?;
    let mut gates = Gates {
        documents: OpenDocuments::new(corpus),
        search,
        reached: Gate::Subject,
        candidates: Vec::new(),
    };
    for hit in &hits {
        gates.passage(&hit.passage)?;
    }
    let Gates {
        mut candidates,
        mut documents,
        reached,
        ..
    } = gates;
    candidates.sort_by(|left, right| {
        right
            .score
            .total_cmp(&left.score)
            .then_with(|| left.passage.doc.cmp(&right.passage.doc))
            .then(left.passage.range.start.cmp(&right.passage.range.start))
    });
    let kept = quotable(&mut documents, candidates)?;
    Ok(Selection {
        candidates: kept,
        closed: reached,
    })
}

/// The fourth gate: what cannot be quoted is left out.
fn quotable(
    documents: &mut OpenDocuments<'_>,
    candidates: Vec<Candidate>,
) -> Result<Vec<Candidate>, CorpusError> {
    let mut kept = Vec::new();
    for candidate in candidates {
        let span = candidate.span();
        if span.trim().is_empty() || holds_address(span) {
            continue;
        }
        if documents
            .open(&candidate.passage.doc)?
            .is_trusted(&candidate.passage)
        {
            kept.push(candidate);
        }
        if kept.len() >= 40 {
            break;
        }
    }
    Ok(kept)
}
