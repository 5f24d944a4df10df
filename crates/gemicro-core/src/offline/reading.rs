//! What a model is given to read for a question: [`passages_for`].
//!
//! Several searches look for the same question in different ways, and their ranks are added up (reciprocal rank
//! fusion): its words; the passages that name its subject; the sentences that pass the gates; what no-model
//! research would quote; and, a step further, passages about names that stand beside the subject. A question
//! that asks two things is searched part by part. Nothing is judged here: the model reads and decides.

use std::collections::BTreeMap;

use super::answer::answer;
use super::aspect::Aspects;
use super::decompose::{SubQuestion, decompose};
use super::finding::SubAnswer;
use super::question::{AnswerType, Question};
use super::resolve::{Resolution, resolve};
use super::select::{Search, select};
use super::structure::is_planted;
use super::subject::{Place, Subject, SubjectForm};
use super::value::{ValueKind, values};
use crate::corpus::{Corpus, CorpusError, Hit, Passage, PassageQuery};

/// How much may be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Room {
    pub(crate) n_passages: usize,
    /// Bytes of their texts at most; the best passage is shown whatever its size.
    pub(crate) n_bytes: usize,
}

/// Parts of a question that are searched by themselves.
const MOST_PARTS: usize = 5;
/// Passages that one search gives.
const LIST: usize = 24;
/// Names beside the subject that are followed, and how many passages each may bring.
const FOLLOWED: usize = 8;
const PER_NAME: usize = 4;
/// The higher, the less the first ranks of a search stand out.
const FLATNESS: f32 = 8.0;

/// How much a search counts.
const BY_PROOF: f32 = 4.0;
const BY_SENTENCE: f32 = 2.0;
const BY_SUBJECT: f32 = 1.5;
const BY_WORDS: f32 = 1.0;
const BY_NAME: f32 = 0.8;
/// What is left for a passage that looks planted: it is shown, but never before an honest one.
const PLANTED: f32 = 0.05;

/// The passages to read for a question, the most promising first.
///
/// # Errors
///
/// Fails only when the search index fails; nothing found is an empty list.
pub(crate) fn passages_for(
    corpus: &dyn Corpus,
    question: &str,
    room: Room,
) -> Result<Vec<Passage>, CorpusError> {
    let mut ranking = Ranking::default();
    let parts = decompose(question, MOST_PARTS);
    ranking.add(by_words(corpus, question)?, BY_WORDS);
    for part in &parts {
        ranking.add(proofs(corpus, part)?, BY_PROOF);
        if parts.len() > 1 {
            ranking.add(by_words(corpus, &part.text)?, BY_WORDS);
        }
        by_subject(corpus, &part.text, &mut ranking)?;
        if let Some(hop) = &part.hop {
            by_subject(corpus, &hop.clause, &mut ranking)?;
        }
    }
    Ok(ranking.best(room))
}

/// The words of a question, as they are.
fn by_words(corpus: &dyn Corpus, text: &str) -> Result<Vec<Passage>, CorpusError> {
    let terms = text.split(|c: char| !c.is_alphanumeric());
    let terms = terms.filter(|word| !word.is_empty()).map(str::to_owned);
    search_passages(corpus, Vec::new(), terms.collect(), LIST)
}

/// What no-model research would quote, disagreeing documents included.
fn proofs(corpus: &dyn Corpus, part: &SubQuestion) -> Result<Vec<Passage>, CorpusError> {
    let SubAnswer::Found {
        findings,
        contradictions,
        ..
    } = answer(corpus, part)?
    else {
        return Ok(Vec::new());
    };
    let sides = contradictions
        .into_iter()
        .flat_map(|it| it.sides)
        .map(|it| (it.doc, it.range));
    let places = findings.into_iter().map(|it| (it.doc, it.range)).chain(sides);
    let mut passages = Vec::new();
    for (doc, range) in places {
        let all = corpus.passages(&doc)?;
        let holds = |it: &Passage| it.range.start <= range.start && range.end <= it.range.end;
        passages.extend(all.into_iter().find(holds));
    }
    Ok(passages)
}

/// The sentences about the subject of a question, the passages that name it, and those that go on from there.
fn by_subject(corpus: &dyn Corpus, text: &str, ranking: &mut Ranking) -> Result<(), CorpusError> {
    let question = Question::read(text);
    let subject = match resolve(corpus, &question)? {
        Resolution::Subject(subject) => Some(subject),
        Resolution::Open | Resolution::Absent => None,
    };
    let aspects = Aspects::of(&question, subject.as_ref());
    if question.expected != AnswerType::Explanation {
        let search = Search {
            question: &question,
            subject: subject.as_ref(),
            aspects: &aspects,
            least: Some(0.0),
        };
        let candidates = select(corpus, search)?.candidates.into_iter();
        ranking.add(candidates.map(|it| it.passage).collect(), BY_SENTENCE);
    }
    let Some(subject) = subject else {
        return Ok(());
    };
    let named = passages_naming(corpus, &subject, aspects.terms(), LIST)?;
    let names = names_beside(&subject, &named);
    ranking.add(named, BY_SUBJECT);
    for name in names {
        let name = Subject::new(&name, SubjectForm::Name);
        ranking.add(
            passages_naming(corpus, &name, aspects.terms(), PER_NAME)?,
            BY_NAME,
        );
    }
    Ok(())
}

/// Passages that name a subject, those that speak of the terms first.
fn passages_naming(
    corpus: &dyn Corpus,
    subject: &Subject,
    mut terms: Vec<String>,
    limit: usize,
) -> Result<Vec<Passage>, CorpusError> {
    let phrases = match subject.form() {
        // Forms of a word and names inside a run of characters are no phrases to the index.
        SubjectForm::Uncased | SubjectForm::Characters => {
            terms.insert(0, subject.text.clone());
            Vec::new()
        }
        SubjectForm::Name | SubjectForm::Noun | SubjectForm::Phrase => vec![subject.text.clone()],
    };
    search_passages(corpus, phrases, terms, limit)
}

/// Other names in passages that name the subject, in order.
fn names_beside(subject: &Subject, passages: &[Passage]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for passage in passages.iter().filter(|it| !is_planted(&it.text)) {
        let skip = subject.occurrences(&passage.text, Place::Sentence);
        let found = values(&passage.text, &skip).into_iter();
        for value in found.filter(|value| value.kind == ValueKind::Name && !value.aside) {
            let name = &passage.text[value.range];
            if names.len() < FOLLOWED && !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
    }
    names
}

fn search_passages(
    corpus: &dyn Corpus,
    phrases: Vec<String>,
    terms: Vec<String>,
    limit: usize,
) -> Result<Vec<Passage>, CorpusError> {
    let hits: Vec<Hit> = corpus.search(&PassageQuery {
        phrases,
        terms,
        limit,
    })?;
    Ok(hits.into_iter().map(|hit| hit.passage).collect())
}

/// Passages with the sum of what their ranks are worth.
#[derive(Default)]
struct Ranking(BTreeMap<(String, u32), (f32, Passage)>);

impl Ranking {
    /// Adds one search; a passage counts once in it, at its best rank.
    fn add(&mut self, passages: Vec<Passage>, weight: f32) {
        let mut seen = std::collections::BTreeSet::new();
        for passage in passages {
            let key = (passage.doc.clone(), passage.ordinal);
            if !seen.insert(key.clone()) {
                continue;
            }
            let worth = weight / (FLATNESS + seen.len() as f32);
            let worth = if is_planted(&passage.text) {
                worth * PLANTED
            } else {
                worth
            };
            self.0.entry(key).or_insert((0.0, passage)).0 += worth;
        }
    }

    /// The best that fit; one that does not fit makes room for smaller ones.
    fn best(self, room: Room) -> Vec<Passage> {
        let mut ranked: Vec<(f32, Passage)> = self.0.into_values().collect();
        // Stable: ties stay in the order of documents.
        ranked.sort_by(|(left, _), (right, _)| right.total_cmp(left));
        let mut n_bytes = 0;
        let mut best: Vec<Passage> = Vec::new();
        for (_, passage) in ranked {
            let fits = best.is_empty() || n_bytes + passage.text.len() <= room.n_bytes;
            if best.len() < room.n_passages && fits {
                n_bytes += passage.text.len();
                best.push(passage);
            }
        }
        best
    }
}
