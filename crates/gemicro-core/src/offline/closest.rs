//! The pieces of documents that come closest to a question, and whether the best of them answer it.
//!
//! The main function is [`closest`]. One score ranks the pieces, and one rule decides whether the best of them answers.
//!
//! # The score
//!
//! Every word of the question weighs by its rarity in the documents; function words and words of an order weigh nothing.
//! A piece (a sentence, a line, a row, a question with its answer) speaks of a word by itself (1), in other words (0.7 to
//! 0.95: a stem, a compound, a synonym, a unit), elsewhere in its passage (0.85) or above it: heading, title, path, column
//! head (0.8). `share` is the weighted mean of that, `own` the same for the piece alone. The score is `share + 0.3 own`,
//! and a little more with a value or the form that is wanted, a little less without.
//!
//! # The rule
//!
//! A piece answers if it has the form that is wanted (`piece::form`), holds every name, number and identifier of the
//! question, names no sister of what is asked about, and is far enough ahead: its score is higher than that of the best
//! piece of any other document by [`AHEAD`] for every missing word ([`QueryTerms::missing`]). A piece with no missing
//! words needs no lead. If the question has a full name or consists only of nouns, no word may be missing. Another
//! document with a similar score and a different value of the same kind is a contradiction, not a competitor. All other
//! pieces are only shown.

use super::contradiction::{disagreement, same_unit};
use super::definition::asked_definition;
use super::documents::OpenDocuments;
use super::finding::{Contradiction, Finding, Gate, SubAnswer};
use super::lexicon::lexicon;
use super::other_passages::{QuotedPlace, other_passages};
use super::piece::{Piece, PieceForm, quoted};
use super::question::{AnswerType, Question};
use super::select::Candidate;
use super::subject::{Place, Subject, SubjectForm, name_runs, run_text};
use super::table::{self, TableAnswer};
use super::terms::QueryTerms;
use super::text::{Word, likeness, words};
use super::unit_class::UnitClass;
use super::value::{ValueKind, adjacent, values};
use crate::corpus::{Corpus, CorpusError, Passage, PassageQuery};

/// Passages asked for, by the words of the question and with their synonyms.
const LIMIT: usize = 60;
/// Related passages that are shown.
const MOST_RELATED: usize = 5;
/// Other passages that are shown beside an answer.
const MOST_BESIDE_ANSWER: usize = 3;
/// Least share of the question for an answer, and least share that the piece itself must speak of.
const LEAST_SHARE: f32 = 0.45;
const LEAST_OWN: f32 = 0.2;
/// How far the score must be ahead of all other documents for every word that is missing: where sentences explain, and
/// where one value is wanted.
const AHEAD: f32 = 0.2;
const AHEAD_OF_VALUES: f32 = 0.4;
/// Amount of `missing` that is ignored: words in another form or in the heading count as slightly missing.
const SPARED: f32 = 0.4;
/// How much may be missing where no other document speaks of the question at all.
const ALONE: f32 = 0.7;
/// How near the score of another document must come to disagree, with the same unit and with another one, and how much
/// more it may be missing.
const RIVAL: f32 = 0.55;
const RIVAL_OF_UNIT: f32 = 0.8;
const RIVAL_MISSING: f32 = 1.25;

/// What was found for a question, before it is decided what it is worth.
pub(crate) struct Closest {
    pieces: Vec<Piece>,
    table: Option<TableAnswer>,
    terms: QueryTerms,
    /// Names of several words: they are looked for word by word, and a longer name is another one.
    names: Vec<Subject>,
    /// A name that no document holds.
    unknown: Option<String>,
}

/// Looks a question up in all documents.
pub(crate) fn closest(
    corpus: &dyn Corpus,
    question: &Question,
    subject: Option<&Subject>,
) -> Result<Closest, CorpusError> {
    let terms = QueryTerms::of(corpus, question)?;
    let runs = name_runs(question).into_iter();
    let runs = runs.filter(|run| run.len() > 1 && question.language.code != "de");
    let names = runs.map(|run| Subject::new(&run_text(question, &run), SubjectForm::Name));
    let names = names.chain(
        subject
            .filter(|subject| subject.form() == SubjectForm::Name)
            .cloned(),
    );
    let names: Vec<Subject> = names.collect();
    let is_named = names.iter().any(|name| name.parts().len() > 1);
    let mut documents = OpenDocuments::new(corpus);
    let mut pieces = Vec::new();
    for passage in &passages(corpus, &terms)? {
        let document = documents.open(&passage.doc)?;
        if document.is_trusted(passage) {
            pieces.extend(Piece::of(question, &terms, document, passage, is_named));
        }
    }
    pieces.sort_by(|left: &Piece, right: &Piece| {
        let place = |it: &Piece| (it.passage.doc.clone(), it.start());
        right
            .score
            .total_cmp(&left.score)
            .then_with(|| place(left).cmp(&place(right)))
    });
    let table = table::best_answer(question, &terms, documents.all());
    Ok(Closest {
        pieces,
        names,
        unknown: terms.unknown_name(question).map(str::to_owned),
        table,
        terms,
    })
}

fn passages(corpus: &dyn Corpus, terms: &QueryTerms) -> Result<Vec<Passage>, CorpusError> {
    let mut passages: Vec<Passage> = Vec::new();
    let plain: Vec<String> = terms.entries().iter().map(|term| term.word.clone()).collect();
    let mut queries = vec![plain, terms.search_words()];
    queries.dedup();
    for words in queries {
        let query = PassageQuery {
            phrases: Vec::new(),
            terms: words,
            limit: LIMIT,
        };
        for hit in corpus.search(&query)? {
            let is_same = |it: &Passage| it.doc == hit.passage.doc && it.ordinal == hit.passage.ordinal;
            if !passages.iter().any(is_same) {
                passages.push(hit.passage);
            }
        }
    }
    Ok(passages)
}

impl Closest {
    /// The answer that a table gives where something had to be worked out.
    pub(crate) fn table_answer(&self) -> Option<SubAnswer> {
        self.table
            .as_ref()
            .filter(|table| table.is_computed)
            .map(found_in_table)
    }

    /// The answer, or the reason and the passages that come closest.
    pub(crate) fn answer(&self, question: &Question) -> SubAnswer {
        let best = self.pieces.iter().find(|piece| self.is_certain(question, piece));
        if let Some(table) = &self.table
            && best.is_none_or(|best| best.share <= table.share + 0.05)
            && asked_definition(&question.text).is_none()
        {
            return self.read_from(question, table);
        }
        match best {
            Some(best) => SubAnswer::Found {
                findings: best.findings(question),
                contradictions: self.find_contradictions(question, &best.candidate()),
                summary: None,
                related: Vec::new(),
            },
            None => match self.several(question) {
                Some(answer) => answer,
                None => self.nothing(),
            },
        }
    }

    /// The rows of a table, with the documents that disagree with a single one.
    fn read_from(&self, question: &Question, table: &TableAnswer) -> SubAnswer {
        let mut answer = found_in_table(table);
        if let (SubAnswer::Found { contradictions, .. }, [row]) = (&mut answer, table.rows.as_slice())
            && let Some(piece) = self.pieces.iter().find(|piece| piece.is_in(row))
        {
            *contradictions = self.find_contradictions(question, &piece.candidate());
        }
        answer
    }

    /// No answer: the reason, and what comes closest.
    pub(crate) fn nothing(&self) -> SubAnswer {
        let related = other_passages(self.table.as_ref(), &self.pieces, &[], MOST_RELATED);
        let (gate, reason) = match &self.unknown {
            Some(name) => (Gate::Subject, format!("No document names “{name}”.")),
            None if related.is_empty() => (Gate::Subject, "No document speaks of it.".to_owned()),
            None => (Gate::Coverage, "No document answers this directly.".to_owned()),
        };
        SubAnswer::NoEvidence {
            gate,
            reason,
            related,
        }
    }

    /// The rule of this module.
    fn is_certain(&self, question: &Question, piece: &Piece) -> bool {
        let is_enough = match piece.form {
            PieceForm::Lacks => return false,
            PieceForm::Sets | PieceForm::Fits | PieceForm::Open => {
                piece.share >= LEAST_SHARE && piece.own >= LEAST_OWN
            }
        };
        // A line that sets what the question names needs no lead.
        let is_ahead = piece.form == PieceForm::Sets || self.is_ahead(question, piece);
        is_enough && is_ahead && self.is_about(question, piece)
    }

    /// The more is missing, the further it must be ahead of all other documents but those that disagree with it.
    fn is_ahead(&self, question: &Question, piece: &Piece) -> bool {
        if piece.missing <= SPARED {
            return true;
        }
        let is_named = self.names.iter().any(|name| name.parts().len() > 1);
        if question.is_fragment || is_named {
            return false;
        }
        let ahead = match question.expected {
            AnswerType::Explanation | AnswerType::Person => AHEAD,
            AnswerType::Quantity { .. }
            | AnswerType::Date
            | AnswerType::Value
            | AnswerType::Place
            | AnswerType::Name => AHEAD_OF_VALUES,
        };
        let is_other = |other: &&Piece| other.passage.doc != piece.passage.doc && !is_rival(piece, other);
        match self.pieces.iter().find(is_other) {
            Some(other) => piece.score >= other.score * (1.0 + ahead * piece.missing),
            None => piece.missing <= ALONE,
        }
    }

    /// Whether the piece mentions every name and number of the question, and no similar thing instead.
    fn is_about(&self, question: &Question, piece: &Piece) -> bool {
        let passage = &piece.passage;
        let above = format!("{}\n{}", passage.title, passage.heading.as_deref().unwrap_or(""));
        // A title names what a sentence is about, unless the sentence has a full name of its own.
        let has_other = || {
            let found = values(piece.text(), &[]);
            found
                .iter()
                .any(|value| value.kind == ValueKind::Name && value.normal.contains(' '))
        };
        let holds = |name: &Subject| {
            let is_full = name.parts().len() > 1;
            let text = if is_full { piece.text() } else { &passage.text };
            !name.occurrences(text, Place::Title).is_empty()
                || !name.occurrences(&above, Place::Title).is_empty() && (!is_full || !has_other())
        };
        piece.holds_names
            && self.names.iter().all(holds)
            && !names_sister(question, &self.terms, piece.text())
    }

    /// The best piece of the passage that a candidate is in.
    fn piece_of(&self, candidate: &Candidate) -> Option<&Piece> {
        self.pieces.iter().find(|piece| piece.is_in(&candidate.passage))
    }

    /// Whether a sentence that was found by its subject answers: a full name proves it, other words must be ahead.
    pub(crate) fn allows(
        &self,
        question: &Question,
        subject: Option<&Subject>,
        candidate: &Candidate,
    ) -> bool {
        let is_full = subject.is_some_and(|subject| match subject.form() {
            SubjectForm::Name => subject.parts().len() > 1,
            SubjectForm::Uncased | SubjectForm::Characters | SubjectForm::Noun => true,
            SubjectForm::Phrase => false,
        });
        let Some(piece) = self.piece_of(candidate) else {
            return is_full;
        };
        question.uncased || piece.holds_names && (is_full || self.is_ahead(question, piece))
    }

    /// Other documents that give another value for the same thing.
    pub(crate) fn find_contradictions(&self, question: &Question, best: &Candidate) -> Vec<Contradiction> {
        let Some(first) = self.piece_of(best) else {
            return Vec::new();
        };
        let is_other = |piece: &&Piece| {
            piece.passage.doc != best.passage.doc && is_rival(first, piece) && self.is_about(question, piece)
        };
        let others = self.pieces.iter().filter(is_other).map(Piece::candidate);
        disagreement(question, &first.candidate(), others.collect())
    }

    /// Two pieces that together speak of what neither does by itself, for questions that join or compare two things.
    fn several(&self, question: &Question) -> Option<SubAnswer> {
        let joints = &question.language.follow.joints;
        if !question.words.iter().any(|word| joints.contains(&word.lower)) {
            return None;
        }
        let mut fitting = self
            .pieces
            .iter()
            .filter(|piece| piece.form != PieceForm::Lacks && piece.own >= LEAST_OWN / 2.0);
        let first = fitting.next()?;
        let union = |second: &Piece| -> Vec<f32> {
            let pairs = first.qualities.iter().zip(&second.qualities);
            pairs.map(|(left, right)| left.max(*right)).collect()
        };
        let kinds = first.kinds();
        let second = fitting
            .filter(|piece| piece.kinds().iter().any(|kind| kinds.contains(kind)))
            .map(|piece| (self.terms.share(&union(piece)), piece))
            .max_by(|left, right| (left.0 + 0.3 * left.1.share).total_cmp(&(right.0 + 0.3 * right.1.share)));
        let (share, second) = second?;
        let is_certain = self.terms.missing(&union(second)) <= SPARED && share > first.share + 0.15;
        (is_certain && self.terms.holds_required(&union(second))).then(|| SubAnswer::Found {
            findings: [first.findings(question), second.findings(question)].concat(),
            contradictions: Vec::new(),
            summary: None,
            related: Vec::new(),
        })
    }

    /// An answer with the passages that come next: what it overlooks, such as a document that disagrees, is often there.
    pub(crate) fn with_other_passages(&self, mut answer: SubAnswer) -> SubAnswer {
        if let SubAnswer::Found {
            findings,
            contradictions,
            related,
            ..
        } = &mut answer
        {
            let sides = contradictions.iter().flat_map(|it| &it.sides);
            let sides = sides.map(|it| QuotedPlace::new(&it.doc, &it.range, &it.span));
            let cited = findings.iter().map(QuotedPlace::of);
            let known: Vec<QuotedPlace<'_>> = cited.chain(sides).collect();
            *related = other_passages(self.table.as_ref(), &self.pieces, &known, MOST_BESIDE_ANSWER);
        }
        answer
    }
}

/// The other piece gives a value of the same kind and comes near enough to speak of the same thing.
fn is_rival(best: &Piece, other: &Piece) -> bool {
    let near = match (best.value(), other.value()) {
        (Some(left), Some(right))
            if left.kind == right.kind
                && (same_unit(left, right) || left.kind == ValueKind::Number(UnitClass::Count)) =>
        {
            RIVAL
        }
        (Some(left), Some(right)) if left.kind == right.kind => RIVAL_OF_UNIT,
        _ => return false,
    };
    other.form == PieceForm::Fits
        && other.score >= best.score * near
        && other.missing <= best.missing + RIVAL_MISSING
}

/// "The travel policy" in a sentence, where "the laptop policy" is asked about: a thing of the same kind.
fn names_sister(question: &Question, terms: &QueryTerms, text: &str) -> bool {
    let tokens = words(text);
    let is_plain = |word: &Word| !lexicon().is_stop(&word.lower) && !word.digit;
    let pairs = question
        .words
        .windows(2)
        .skip(question.ask.end)
        .filter(|pair| pair.iter().all(is_plain));
    pairs.into_iter().any(|pair| {
        let is_other = |near: &[Word]| {
            near[1].lower == pair[1].lower
                && is_plain(&near[0])
                && adjacent(text, &near[0], &near[1])
                && !terms.asks_about(&near[0].lower)
        };
        let holds = tokens
            .iter()
            .any(|word| likeness(&pair[0].lower, &word.lower) > 0.8);
        !holds && tokens.windows(2).any(is_other)
    })
}

fn found_in_table(table: &TableAnswer) -> SubAnswer {
    let findings = table.rows.iter().map(|row| Finding {
        value: table.value.clone(),
        ..quoted(row, 0..row.text.len(), table.share)
    });
    SubAnswer::Found {
        findings: findings.collect(),
        contradictions: Vec::new(),
        summary: table.summary.clone(),
        related: Vec::new(),
    }
}
