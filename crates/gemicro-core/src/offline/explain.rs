//! Answers broad questions ("How does … work?") with the few best sentences of the documents.
//!
//! The one function is [`explain`]. There is no value to check, so a passage must cover most of the
//! question, and the sentences are taken from different places.

use std::collections::HashMap;

use gemicro_event::text::one_line;

use super::answer::{finding, reason};
use super::aspect::Aspects;
use super::finding::{Gate, SubAnswer};
use super::question::Question;
use super::select::{Candidate, quotable};
use super::sentence::sentences;
use super::subject::{Place, Subject};
use crate::corpus::{BlockKind, Corpus, CorpusError, Hit, PassageQuery};

/// Passages asked for.
const LIMIT: usize = 60;
/// Sentences in an explanation, and from one passage.
const MOST_SENTENCES: usize = 5;
const MOST_PER_PASSAGE: usize = 2;
/// Least coverage of the passage with its heading and title, and of the sentence.
const LEAST_PASSAGE: f32 = 0.55;
const LEAST_SENTENCE: f32 = 0.3;
/// A sentence must come this near to the best one.
const NEAR: f32 = 0.6;
/// Shorter pieces are labels, longer ones are no sentences.
const SENTENCE_BYTES: std::ops::RangeInclusive<usize> = 30..=700;

/// The best sentences for a question without an expected value.
pub(crate) fn explain(
    corpus: &dyn Corpus,
    question: &Question,
    subject: Option<&Subject>,
) -> Result<SubAnswer, CorpusError> {
    let aspects = Aspects::of(question, subject);
    let phrases = subject
        .map(|subject| vec![subject.text.clone()])
        .unwrap_or_default();
    let hits = corpus.search(&PassageQuery {
        phrases,
        terms: aspects.terms(),
        limit: LIMIT,
    })?;
    let best_hit = hits.first().map_or(1.0, |hit| hit.score.max(f32::MIN_POSITIVE));
    let numbers = numbers_of(&question.text);
    let mut candidates = Vec::new();
    for hit in &hits {
        candidates.extend(of_passage(hit, hit.score / best_hit, subject, &aspects, &numbers));
    }
    candidates.sort_by(|left: &Candidate, right: &Candidate| {
        right
            .score
            .total_cmp(&left.score)
            .then_with(|| left.passage.doc.cmp(&right.passage.doc))
            .then(left.range().start.cmp(&right.range().start))
    });
    if let Some(term) = asked_definition(&question.text) {
        candidates.retain(|candidate| defines_term(candidate.span(), &term));
    }
    let chosen = varied(quotable(corpus, candidates)?);
    if chosen.is_empty() {
        let gate = if hits.is_empty() {
            Gate::Subject
        } else {
            Gate::Coverage
        };
        return Ok(SubAnswer::NoEvidence {
            gate,
            reason: reason(question, subject.map(|subject| subject.text.as_str()), gate),
        });
    }
    Ok(SubAnswer::Found {
        findings: chosen.iter().map(finding).collect(),
        contradictions: Vec::new(),
    })
}

fn of_passage(
    hit: &Hit,
    rank: f32,
    subject: Option<&Subject>,
    aspects: &Aspects,
    numbers: &[String],
) -> Vec<Candidate> {
    let passage = &hit.passage;
    match passage.kind {
        // A table row explains nothing without its header.
        BlockKind::Heading | BlockKind::Code | BlockKind::KeyValue | BlockKind::TableRow => {
            return Vec::new();
        }
        BlockKind::Paragraph | BlockKind::ListItem | BlockKind::Comment => {}
    }
    let context = format!(
        "{} {} {}",
        passage.title,
        passage.heading.as_deref().unwrap_or(""),
        passage.text
    );
    if subject.is_some_and(|subject| subject.occurrences(&context, Place::Title).is_empty()) {
        return Vec::new();
    }
    let around = aspects.coverage(&context, &[], &[]);
    if around.share < LEAST_PASSAGE || !around.speaks {
        return Vec::new();
    }
    if !holds_numbers(&context, numbers) {
        return Vec::new();
    }
    let mut candidates = Vec::new();
    for range in sentences(&passage.text, passage.kind) {
        let sentence = &passage.text[range.clone()];
        if !SENTENCE_BYTES.contains(&sentence.len()) && !sentence.chars().any(super::text::is_cjk) {
            continue;
        }
        // A question that a document repeats is no answer to it.
        if sentence.trim_end().ends_with(['?', '？', '؟']) {
            continue;
        }
        let coverage = aspects.coverage(sentence, &[], &[]);
        if coverage.share < LEAST_SENTENCE || !coverage.speaks {
            continue;
        }
        candidates.push(Candidate {
            passage: passage.clone(),
            sentence: range,
            coverage: coverage.share,
            score: 0.6 * coverage.share + 0.2 * around.share + 0.2 * rank,
            values: Vec::new(),
            names: Vec::new(),
            is_direct: true,
        });
    }
    candidates
}

/// The numbers in a question: "exit code 6" is answered by no sentence that does not speak of 6.
fn numbers_of(text: &str) -> Vec<String> {
    let words = text
        .split(|c: char| !c.is_alphanumeric() && c != '.')
        .map(|word| word.trim_matches('.'));
    words
        .filter(|word| word.starts_with(|c: char| c.is_ascii_digit()))
        .map(str::to_owned)
        .collect()
}

fn holds_numbers(context: &str, numbers: &[String]) -> bool {
    numbers.is_empty() || {
        let known = numbers_of(context);
        numbers.iter().all(|number| known.contains(number))
    }
}

/// The term of "What is X?" and "What is an X?", in lower case; "what is the X" asks for a value of something.
fn asked_definition(question: &str) -> Option<String> {
    let lower = question.trim().trim_end_matches(['?', ' ']).to_lowercase();
    let rest = lower
        .strip_prefix("what is ")
        .or_else(|| lower.strip_prefix("what are "))?;
    let term = ["a ", "an "]
        .iter()
        .find_map(|article| rest.strip_prefix(article))
        .unwrap_or(rest);
    let n_words = term.split_whitespace().count();
    let is_term = (1..=2).contains(&n_words) && !rest.starts_with("the ") && !rest.starts_with("there ");
    is_term.then(|| term.to_owned())
}

/// Whether a sentence says what a term is: "X is …", "An X means …", "X: …".
fn defines_term(sentence: &str, term: &str) -> bool {
    let plain: String = sentence
        .chars()
        .filter(|c| !matches!(c, '*' | '`' | '_' | '“' | '”' | '"'))
        .collect();
    let lower = one_line(&plain).to_lowercase();
    let start = ["a ", "an ", "the "]
        .iter()
        .find_map(|article| lower.strip_prefix(article))
        .unwrap_or(&lower);
    let Some(after) = start.strip_prefix(term) else {
        return false;
    };
    let after = after
        .strip_prefix('s')
        .filter(|_| !term.ends_with('s'))
        .unwrap_or(after);
    let says = [
        " is ",
        " are ",
        " means ",
        " stands for ",
        " refers to ",
        " was ",
        ": ",
        " – ",
        " — ",
        ", a ",
    ];
    says.iter().any(|verb| after.starts_with(verb))
}

/// The best sentences, few from one passage and none twice.
fn varied(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let best = candidates.first().map_or(0.0, |candidate| candidate.score);
    let mut n_taken: HashMap<(String, u32), usize> = HashMap::new();
    let mut chosen: Vec<Candidate> = Vec::new();
    for candidate in candidates {
        let taken = n_taken
            .entry((candidate.passage.doc.clone(), candidate.passage.ordinal))
            .or_default();
        let is_repeat = chosen
            .iter()
            .any(|other| one_line(other.span()) == one_line(candidate.span()));
        if candidate.score < best * NEAR || *taken >= MOST_PER_PASSAGE || is_repeat {
            continue;
        }
        *taken += 1;
        chosen.push(candidate);
        if chosen.len() == MOST_SENTENCES {
            break;
        }
    }
    chosen
}
