//! Bridges between documents: one names the place, person or thing that the other describes.
//!
//! [`answer_hop`] follows a bridge that the question spells out, [`implicit_hop`] one that shows only in the
//! documents: a sentence answers part of the question and names something, and another document says the
//! rest about that name. A planted passage is never hopped over.

use super::answer::{answer_text, finding};
use super::aspect::Aspects;
use super::closest::closest;
use super::decompose::{Hop, PLACEHOLDER};
use super::finding::{Gate, SubAnswer};
use super::question::{AnswerType, Question};
use super::resolve::{Resolution, resolve};
use super::select::{Candidate, Search, select};
use super::subject::{Place, Subject, SubjectForm};
use crate::corpus::{Corpus, CorpusError};

/// How many sentences of the first hop are followed.
const FOLLOWED: usize = 3;
/// Least share of the question in the first sentence, and of what is left in the second.
const LEAST_FIRST: f32 = 0.12;
const LEAST_SECOND: f32 = 0.5;
/// The same for a question that already has an answer: the second sentence must say nearly all that is left.
const LEAST_BESIDE_ANSWER: f32 = 0.75;

/// Answers a question about something that another document has to name first.
pub(crate) fn answer_hop(corpus: &dyn Corpus, hop: &Hop) -> Result<SubAnswer, CorpusError> {
    if hop.clause.trim_end().ends_with('?') {
        return about_answer(corpus, hop);
    }
    let mut first = Question::read(&hop.clause);
    first.expected = AnswerType::Place;
    let subject = match resolve(corpus, &first)? {
        Resolution::Subject(subject) => Some(subject),
        Resolution::Open => None,
        Resolution::Absent => return Ok(closest(corpus, &first, None)?.nothing()),
    };
    let aspects = Aspects::of(&first, subject.as_ref());
    let selection = select(
        corpus,
        Search {
            question: &first,
            subject: subject.as_ref(),
            aspects: &aspects,
            least: None,
        },
    )?;
    let mut closed = SubAnswer::NoEvidence {
        gate: selection.closed,
        reason: format!("No document says what “{}” is.", hop.clause.trim()),
        related: Vec::new(),
    };
    for candidate in selection.candidates.iter().take(FOLLOWED) {
        for name in candidate.names.iter().rev() {
            match answer_text(corpus, &hop.question.replace(PLACEHOLDER, name))? {
                SubAnswer::Found {
                    findings,
                    contradictions,
                    summary,
                    related,
                } => {
                    let findings = bridge_answer(candidate, name, findings);
                    return Ok(SubAnswer::Found {
                        findings,
                        contradictions,
                        summary,
                        related,
                    });
                }
                nothing @ SubAnswer::NoEvidence { .. } => closed = nothing,
            }
        }
    }
    Ok(closed)
}

/// Answers a question about the answer to another one; without that answer there is none.
fn about_answer(corpus: &dyn Corpus, hop: &Hop) -> Result<SubAnswer, CorpusError> {
    let name = match answer_text(corpus, &hop.clause)? {
        SubAnswer::Found { findings, .. } => findings.into_iter().find_map(|finding| finding.value),
        SubAnswer::NoEvidence { .. } => None,
    };
    match name {
        Some(name) => answer_text(corpus, &hop.question.replace(PLACEHOLDER, &name)),
        None => Ok(SubAnswer::NoEvidence {
            gate: Gate::Subject,
            reason: format!(
                "It depends on “{}”, which no document answers.",
                hop.clause.trim()
            ),
            related: Vec::new(),
        }),
    }
}

/// Looks for a second document that says what the first leaves open; `None` when there is no such bridge.
pub(crate) fn implicit_hop(
    corpus: &dyn Corpus,
    search: Search<'_>,
    direct: Option<&Candidate>,
) -> Result<Option<SubAnswer>, CorpusError> {
    let Some(subject) = search.subject else {
        return Ok(None);
    };
    let firsts = match direct {
        Some(direct) => vec![direct.clone()],
        None => {
            let mut first = Question::read(&search.question.text);
            first.expected = AnswerType::Place;
            select(
                corpus,
                Search {
                    question: &first,
                    least: Some(LEAST_FIRST),
                    ..search
                },
            )?
            .candidates
        }
    };
    let least = if direct.is_some() {
        LEAST_BESIDE_ANSWER
    } else {
        LEAST_SECOND
    };
    for first in firsts.iter().take(FOLLOWED) {
        let skip = subject.occurrences(first.span(), Place::Sentence);
        let residual = search.aspects.residual(first.span(), &skip);
        if !residual.has_weight() {
            continue;
        }
        for name in &first.names {
            let second_subject = Subject::new(name, SubjectForm::Name);
            let second = select(
                corpus,
                Search {
                    subject: Some(&second_subject),
                    aspects: &residual,
                    least: Some(least),
                    ..search
                },
            )?;
            let found = second
                .candidates
                .iter()
                .find(|candidate| candidate.passage.doc != first.passage.doc && !candidate.values.is_empty());
            if let Some(found) = found {
                let findings = bridge_answer(first, name, vec![finding(found)]);
                return Ok(Some(SubAnswer::Found {
                    findings,
                    contradictions: Vec::new(),
                    summary: None,
                    related: Vec::new(),
                }));
            }
        }
    }
    Ok(None)
}

fn bridge_answer(
    first: &Candidate,
    name: &str,
    mut findings: Vec<super::finding::Finding>,
) -> Vec<super::finding::Finding> {
    let mut bridge = finding(first);
    bridge.why = format!("It names “{name}”, which the next source is about.");
    bridge.value = Some(name.to_owned());
    findings.insert(0, bridge);
    findings
}
