//! Answers one sub-question from the corpus.
//!
//! The main function is [`answer`]. Typed questions give the one best sentence and the documents that
//! disagree with it; bridges give one sentence per hop; tables and everything else are left to `closest`.

use super::aspect::Aspects;
use super::closest::{Closest, closest};
use super::contradiction::contradictions;
use super::decompose::SubQuestion;
use super::definition::asked_definition;
use super::finding::{Finding, SubAnswer};
use super::hop::{answer_hop, implicit_hop};
use super::question::{AnswerType, Question};
use super::resolve::{Resolution, resolve};
use super::select::{Candidate, Search, select};
use super::subject::Subject;
use crate::corpus::{Corpus, CorpusError};

/// A sentence that covers this much leaves nothing for a bridge.
const WELL_COVERED: f32 = 0.85;

/// Answers a sub-question.
///
/// # Errors
///
/// Fails only when the search index fails; "no evidence" is an answer.
pub fn answer(corpus: &dyn Corpus, sub_question: &SubQuestion) -> Result<SubAnswer, CorpusError> {
    match &sub_question.hop {
        Some(hop) => answer_hop(corpus, hop),
        None => answer_text(corpus, &sub_question.text),
    }
}

/// Answers a plain question without a hop.
pub(crate) fn answer_text(corpus: &dyn Corpus, text: &str) -> Result<SubAnswer, CorpusError> {
    let question = Question::read(text);
    let resolution = resolve(corpus, &question)?;
    let subject = match &resolution {
        Resolution::Subject(subject) => Some(subject),
        Resolution::Open | Resolution::Absent => None,
    };
    let closest = closest(corpus, &question, subject)?;
    if let Some(computed) = closest.table_answer() {
        return Ok(closest.with_other_passages(computed));
    }
    if question.expected != AnswerType::Explanation
        && !matches!(resolution, Resolution::Absent)
        && asked_definition(&question.text).is_none()
        && let Some(found) = about_subject(corpus, &question, subject, &closest)?
    {
        return Ok(closest.with_other_passages(found));
    }
    Ok(closest.with_other_passages(closest.answer(&question)))
}

/// The one best sentence about exactly the subject of a question, with the documents that disagree.
fn about_subject(
    corpus: &dyn Corpus,
    question: &Question,
    subject: Option<&Subject>,
    closest: &Closest,
) -> Result<Option<SubAnswer>, CorpusError> {
    if subject.is_none() && question.expected == AnswerType::Value {
        return Ok(None);
    }
    let aspects = Aspects::of(question, subject);
    let search = Search {
        question,
        subject,
        aspects: &aspects,
        least: None,
    };
    let selection = select(corpus, search)?;
    let best = selection.candidates.first();
    if best.is_none_or(|best| best.coverage < WELL_COVERED)
        && let Some(bridged) = implicit_hop(corpus, search, best)?
    {
        return Ok(Some(bridged));
    }
    let Some(best) = best.filter(|best| closest.allows(question, subject, best)) else {
        return Ok(None);
    };
    let mut contradictions = contradictions(question, &selection.candidates);
    if contradictions.is_empty() {
        contradictions = closest.find_contradictions(question, best);
    }
    Ok(Some(SubAnswer::Found {
        findings: vec![finding(best)],
        contradictions,
        summary: None,
        related: Vec::new(),
    }))
}

/// A candidate as people and journals see it.
pub(crate) fn finding(candidate: &Candidate) -> Finding {
    let place = if candidate.is_direct {
        "names the subject"
    } else {
        "stands under the subject's title"
    };
    Finding {
        doc: candidate.passage.doc.clone(),
        title: candidate.passage.title.clone(),
        date: candidate.passage.date.clone(),
        span: candidate.span().to_owned(),
        range: candidate.range(),
        value: candidate
            .values
            .first()
            .map(|value| candidate.span()[value.range.clone()].to_owned()),
        score: candidate.coverage,
        why: format!(
            "The sentence {place} and covers {:.0} % of what was asked.",
            candidate.coverage * 100.0
        ),
    }
}
