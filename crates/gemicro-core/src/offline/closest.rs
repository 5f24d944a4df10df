//! The pieces of documents that come closest to a question, and whether the best of them answer it.
//!
//! The main function is [`closest`]. Few signals decide: how much of the question a piece speaks of (its words weighted
//! by their rarity, with heading, title and path counting less), every name and number of the question, a value of the
//! expected type, and the form of a definition, a cause or a procedure. What does not answer for certain is still
//! shown, as related passages.

use super::contradiction::disagreement;
use super::definition::asked_definition;
use super::documents::OpenDocuments;
use super::finding::{Contradiction, Finding, Gate, SubAnswer};
use super::lexicon::lexicon;
use super::piece::{Piece, PieceForm, asks_procedure, quoted};
use super::question::{AnswerType, Question};
use super::select::Candidate;
use super::subject::{Place, Subject, SubjectForm, name_runs, run_text};
use super::table::{self, TableAnswer};
use super::terms::QueryTerms;
use super::text::{Word, likeness, words};
use super::value::adjacent;
use crate::corpus::{Corpus, CorpusError, Passage, PassageQuery};

/// Passages asked for, by the words of the question and with their synonyms.
const LIMIT: usize = 60;
/// Related passages that are shown.
const MOST_RELATED: usize = 5;
/// Least share of the question for an answer: with a fitting value or form, without, and for a setting that is named.
const LEAST_FITTING: f32 = 0.6;
const LEAST_PLAIN: f32 = 0.7;
const LEAST_SETTING: f32 = 0.4;
/// Least share that the piece itself must speak of.
const LEAST_OWN: f32 = 0.2;
/// Least share of the words beside names.
const LEAST_REST: f32 = 0.4;
const LEAST_REST_NAMED: f32 = 0.6;
/// How much less is enough for a piece whose score is this far above all other documents.
const OUTSTANDING: f32 = 0.15;
const MARGIN: f32 = 1.2;
/// How near another document must come to disagree.
const RIVAL: f32 = 0.55;
const RIVAL_REST: f32 = 0.25;
const RIVAL_REST_NAMED: f32 = 0.75;

/// What was found for a question, before it is decided what it is worth.
pub(crate) struct Closest {
    /// Best first.
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
    let plain = terms.entries().iter().map(|term| term.word.clone()).collect();
    for words in [plain, terms.search_words()] {
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
    pub(crate) fn computed(&self) -> Option<SubAnswer> {
        self.table
            .as_ref()
            .filter(|table| table.is_computed)
            .map(found_in_table)
    }

    /// The answer, or the reason and the passages that come closest.
    pub(crate) fn answer(self, question: &Question) -> SubAnswer {
        let best = self.pieces.iter().find(|piece| self.is_certain(question, piece));
        if let Some(table) = &self.table
            && best.is_none_or(|best| best.share <= table.share + 0.05)
            && asked_definition(&question.text).is_none()
        {
            return found_in_table(table);
        }
        let compares = question.words.first().is_some_and(|word| {
            matches!(
                word.lower.as_str(),
                "compare" | "summarise" | "summarize" | "vergleiche"
            )
        });
        if compares && let Some(answer) = self.several(question) {
            return answer;
        }
        match best {
            Some(best) => SubAnswer::Found {
                findings: best.findings(question),
                contradictions: self.disagreeing(question, &best.candidate()),
                summary: None,
            },
            None => match self.several(question) {
                Some(answer) => answer,
                None => self.nothing(),
            },
        }
    }

    /// No answer: the reason, and what comes closest.
    pub(crate) fn nothing(self) -> SubAnswer {
        let related = self.related();
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

    fn is_certain(&self, question: &Question, piece: &Piece) -> bool {
        let least = match piece.form {
            PieceForm::Sets => return piece.share >= LEAST_SETTING && self.is_about(question, piece),
            PieceForm::Fits => LEAST_FITTING,
            PieceForm::Open => LEAST_PLAIN,
            PieceForm::Lacks => return false,
        };
        let least_rest = if self.is_named() {
            LEAST_REST_NAMED
        } else {
            LEAST_REST
        };
        let may_stand_out = match question.expected {
            AnswerType::Explanation | AnswerType::Person => true,
            AnswerType::Value => question.ask.is_empty() || asks_procedure(question),
            AnswerType::Quantity { .. } | AnswerType::Date | AnswerType::Place | AnswerType::Name => false,
        };
        let least = if may_stand_out && self.stands_out(piece) {
            least - OUTSTANDING
        } else {
            least
        };
        piece.share >= least
            && piece.own >= LEAST_OWN
            && (!self.terms.has_names() || piece.rest >= least_rest)
            && self.is_about(question, piece)
    }

    /// The question holds a name of several words.
    fn is_named(&self) -> bool {
        self.names.iter().any(|name| name.parts().len() > 1)
    }

    /// No other document comes near.
    fn stands_out(&self, piece: &Piece) -> bool {
        let other = self
            .pieces
            .iter()
            .find(|other| other.passage.doc != piece.passage.doc);
        other.is_none_or(|other| piece.score >= other.score * MARGIN)
    }

    /// Every name and number of the question is spoken of, and no sister of the thing that is asked about.
    fn is_about(&self, question: &Question, piece: &Piece) -> bool {
        let passage = &piece.passage;
        let above = format!("{}\n{}", passage.title, passage.heading.as_deref().unwrap_or(""));
        let holds = |name: &Subject| {
            // What is said about a name of several words is said in its sentence.
            let places = if name.parts().len() > 1 {
                [piece.text(), ""]
            } else {
                [passage.text.as_str(), above.as_str()]
            };
            places
                .into_iter()
                .any(|text| !name.occurrences(text, Place::Title).is_empty())
        };
        piece.holds_names
            && self.names.iter().all(holds)
            && !names_sister(question, &self.terms, piece.text())
    }

    /// The best piece of the passage that a candidate is in.
    fn piece_of(&self, candidate: &Candidate) -> Option<&Piece> {
        let passage = &candidate.passage;
        self.pieces
            .iter()
            .find(|piece| piece.passage.doc == passage.doc && piece.passage.ordinal == passage.ordinal)
    }

    /// Whether a sentence that was found by its subject speaks of all names and numbers, too.
    pub(crate) fn allows(&self, question: &Question, candidate: &Candidate) -> bool {
        question.uncased || self.piece_of(candidate).is_none_or(|piece| piece.holds_names)
    }

    /// Other documents that give another value for the same thing.
    pub(crate) fn disagreeing(&self, question: &Question, best: &Candidate) -> Vec<Contradiction> {
        let Some(first) = self.piece_of(best) else {
            return Vec::new();
        };
        let rest = if self.is_named() {
            RIVAL_REST_NAMED
        } else {
            RIVAL_REST
        };
        let is_rival = |piece: &&Piece| {
            piece.passage.doc != best.passage.doc
                && piece.form == PieceForm::Fits
                && piece.share >= first.share * RIVAL
                && piece.own >= LEAST_OWN
                && piece.rest >= first.rest * rest
                && self.is_about(question, piece)
        };
        let others = self.pieces.iter().filter(is_rival).map(Piece::candidate);
        disagreement(question, &first.candidate(), others.collect())
    }

    /// Two pieces that together speak of what neither does by itself, for questions that join or compare two things.
    fn several(&self, question: &Question) -> Option<SubAnswer> {
        const JOINTS: [&str; 8] = ["and", "or", "with", "vs", "versus", "und", "oder", "mit"];
        if !question
            .words
            .iter()
            .any(|word| JOINTS.contains(&word.lower.as_str()))
        {
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
        let is_certain = share >= LEAST_FITTING && share > first.share + 0.15;
        (is_certain && self.terms.holds_required(&union(second))).then(|| SubAnswer::Found {
            findings: [first.findings(question), second.findings(question)].concat(),
            contradictions: Vec::new(),
            summary: None,
        })
    }

    /// The best passages, each once, the row of the best table first.
    fn related(&self) -> Vec<Finding> {
        let row = self.table.as_ref().and_then(|table| table.rows.first());
        let row = row.map(|row| quoted(row, 0..row.text.len(), 0.0));
        let mut found: Vec<Finding> = Vec::from_iter(row);
        for finding in self.pieces.iter().flat_map(Piece::related) {
            let is_known = |it: &Finding| {
                it.doc == finding.doc && it.range.contains(&finding.range.start) || it.span == finding.span
            };
            if !found.iter().any(is_known) {
                found.push(finding);
            }
            if found.len() == MOST_RELATED {
                break;
            }
        }
        found
    }
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
            likeness(&near[1].lower, &pair[1].lower) >= 0.95
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
    }
}
