//! Other documents that give another value for what a piece answers.
//!
//! The main function is `Closest::disagreeing`. A rival gives a value of the same kind and speaks of the same subject: either
//! it comes near to the question and holds at least half of its other words that the piece holds, or its sentence has the
//! same shape. Sentences of the same shape need not have the words of the question, so that they are looked for by the
//! words of the piece. Words that the unit of a value answers ("cost") do not count.

use std::collections::HashSet;

use super::Closest;
use crate::corpus::{Corpus, CorpusError, PassageQuery};
use crate::offline::contradiction::{disagreement, same_unit};
use crate::offline::documents::OpenDocuments;
use crate::offline::finding::Contradiction;
use crate::offline::lexicon::lexicon;
use crate::offline::piece::{Piece, PieceForm};
use crate::offline::question::Question;
use crate::offline::select::Candidate;
use crate::offline::text::{stem, words};
use crate::offline::unit_class::UnitClass;
use crate::offline::value::{Value, ValueKind};

/// How near the score of another document must come to disagree, and the same for names and codes, which have no unit.
const RIVAL: f32 = 0.5;
const RIVAL_WITHOUT_UNIT: f32 = 0.8;
/// Share of the words of the shorter sentence that two sentences of one shape have in common, and the least number.
const SAME_SHAPE: f32 = 0.5;
const LEAST_SHARED: usize = 2;
/// Passages that are looked at for a sentence of the same shape.
const LIMIT: usize = 20;

impl Closest {
    /// Other documents that give another value for the same thing.
    pub(crate) fn find_contradictions(
        &self,
        corpus: &dyn Corpus,
        question: &Question,
        best: &Candidate,
    ) -> Result<Vec<Contradiction>, CorpusError> {
        let Some(first) = self.piece_of(best) else {
            return Ok(Vec::new());
        };
        let is_other =
            |piece: &&Piece| piece.passage.doc != best.passage.doc && self.is_about(question, piece);
        let near = self.pieces.iter().filter(is_other);
        let near = near.filter(|piece| self.is_rival(first, piece));
        let shaped = self.same_shape(corpus, question, first)?;
        let shaped = shaped.iter().filter(is_other);
        let others = near.chain(shaped).map(Piece::candidate);
        let others = others.chain(self.other_cell(first));
        Ok(disagreement(question, &first.candidate(), others.collect()))
    }

    /// The number that a table of another document gives.
    fn other_cell(&self, best: &Piece) -> Option<Candidate> {
        let table = self.table.as_ref().filter(|table| !table.is_computed)?;
        let ([row], Some(cell), Some(value)) = (table.rows.as_slice(), &table.value, best.value()) else {
            return None;
        };
        let number = cell.trim().parse::<f64>().ok()?;
        let start = row.text.find(cell.as_str())?;
        let is_side = row.doc != best.passage.doc && matches!(value.kind, ValueKind::Number(_));
        is_side.then(|| Candidate {
            passage: row.clone(),
            sentence: 0..row.text.len(),
            coverage: table.share,
            score: table.share,
            values: vec![Value {
                kind: value.kind,
                range: start..start + cell.len(),
                normal: number.to_string(),
                unit: value.unit.clone(),
                aside: false,
            }],
            names: Vec::new(),
            is_direct: true,
        })
    }

    /// The other piece gives a value of the same kind and comes near enough to speak of the same thing.
    pub(super) fn is_rival(&self, best: &Piece, other: &Piece) -> bool {
        let near = match (best.value(), other.value()) {
            (Some(left), Some(right)) if left.kind != right.kind => return false,
            (Some(left), Some(right)) if is_measure(left.kind) || same_unit(left, right) => RIVAL,
            (Some(left), Some(_)) if left.kind == ValueKind::Number(UnitClass::Count) => RIVAL,
            (Some(_), Some(_)) => RIVAL_WITHOUT_UNIT,
            _ => return false,
        };
        other.form == PieceForm::Fits && other.score >= best.score * near && self.speaks_of_same(best, other)
    }

    /// The subject, and at least half of the other words of the question that the first piece itself holds.
    fn speaks_of_same(&self, best: &Piece, other: &Piece) -> bool {
        let (n_known, n_shared) = self.shared_words(best, other);
        self.shares_subject(best, other) && n_known > 0 && n_shared * 2 >= n_known
    }

    fn shares_subject(&self, best: &Piece, other: &Piece) -> bool {
        let mut pairs = self
            .terms
            .entries()
            .iter()
            .zip(best.qualities.iter().zip(&other.qualities));
        pairs.all(|(term, (best, other))| !self.is_subject(&term.word) || *best == 0.0 || *other > 0.0)
    }

    /// How many words beside the subject the first piece holds, and how many of them the other one holds.
    fn shared_words(&self, best: &Piece, other: &Piece) -> (usize, usize) {
        let terms = self.terms.entries().iter();
        let terms = terms.zip(best.own_qualities.iter().zip(&other.qualities));
        let known = terms.filter(|(term, (own, _))| {
            let is_plain = !term.is_light && !term.is_required && term.linked.is_empty();
            is_plain && !self.is_subject(&term.word) && **own > 0.0
        });
        known.fold((0, 0), |(n_known, n_shared), (_, (_, quality))| {
            (n_known + 1, n_shared + usize::from(*quality > 0.0))
        })
    }

    /// Pieces of all documents that say the same as this one but for the value.
    fn same_shape(
        &self,
        corpus: &dyn Corpus,
        question: &Question,
        best: &Piece,
    ) -> Result<Vec<Piece>, CorpusError> {
        let frame = self.frame_words(&best.candidate());
        let Some(value) = best.value().filter(|_| frame.len() >= LEAST_SHARED) else {
            return Ok(Vec::new());
        };
        let hits = corpus.search(&PassageQuery {
            phrases: Vec::new(),
            terms: frame.iter().cloned().collect(),
            limit: LIMIT,
        })?;
        let stems: HashSet<String> = frame.iter().map(|word| stem(word)).collect();
        let says_same = |piece: &Piece| {
            let other: HashSet<String> = self
                .frame_words(&piece.candidate())
                .iter()
                .map(|word| stem(word))
                .collect();
            let n_shared = stems.intersection(&other).count();
            let is_kind = |it: &Value| it.kind == value.kind && (is_measure(it.kind) || same_unit(it, value));
            piece.form == PieceForm::Fits
                && piece.value().is_some_and(is_kind)
                && n_shared >= LEAST_SHARED
                && n_shared as f32 >= SAME_SHAPE * stems.len().min(other.len()) as f32
                && self.shares_subject(best, piece)
        };
        let mut documents = OpenDocuments::new(corpus);
        let mut found = Vec::new();
        for hit in hits {
            let document = documents.open(&hit.passage.doc)?;
            if document.is_trusted(&hit.passage) {
                let pieces = Piece::of(question, &self.terms, document, &hit.passage, self.is_named());
                found.extend(pieces.into_iter().filter(says_same));
            }
        }
        Ok(found)
    }

    /// The words of a sentence that are neither function words nor a part of its values or of the subject.
    fn frame_words(&self, candidate: &Candidate) -> HashSet<String> {
        let is_value = |at: usize| candidate.values.iter().any(|value| value.range.contains(&at));
        let found = words(candidate.span()).into_iter();
        let found = found.filter(|word| {
            !word.digit
                && !is_value(word.range.start)
                && !self.is_subject(&word.lower)
                && !lexicon().is_stop(&word.lower)
                && word.lower.chars().any(char::is_alphabetic)
        });
        found.map(|word| word.lower).collect()
    }
}

/// A number with a unit of measure, or a date.
fn is_measure(kind: ValueKind) -> bool {
    match kind {
        ValueKind::Number(class) => class != UnitClass::Count,
        ValueKind::Date => true,
        ValueKind::Code | ValueKind::Name => false,
    }
}
