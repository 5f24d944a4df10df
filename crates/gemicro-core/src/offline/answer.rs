//! Answers one sub-question from the corpus.
//!
//! The main function is [`answer`]. Typed questions give the one best sentence and the documents that
//! disagree with it; bridges give one sentence per hop; everything else is left to `explain`.

use super::aspect::Aspects;
use super::contradiction::contradictions;
use super::decompose::SubQuestion;
use super::explain::explain;
use super::finding::{Finding, Gate, SubAnswer};
use super::hop::{answer_hop, implicit_hop};
use super::question::{AnswerType, Question};
use super::resolve::{Resolution, resolve};
use super::select::{Candidate, Search, Selection, select};
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
    let mut question = Question::read(text);
    let subject = match resolve(corpus, &question)? {
        Resolution::Subject(subject) => Some(subject),
        Resolution::Open => None,
        Resolution::Absent(name) => {
            return Ok(SubAnswer::NoEvidence {
                gate: Gate::Subject,
                reason: format!("No document names “{name}”."),
            });
        }
    };
    if subject.is_none() && question.expected == AnswerType::Value {
        question.expected = AnswerType::Explanation;
    }
    if question.expected == AnswerType::Explanation {
        return explain(corpus, &question, subject.as_ref());
    }
    let aspects = Aspects::of(&question, subject.as_ref());
    let search = Search {
        question: &question,
        subject: subject.as_ref(),
        aspects: &aspects,
        least: None,
    };
    let selection = select(corpus, search)?;
    let best = selection.candidates.first();
    if best.is_none_or(|best| best.coverage < WELL_COVERED)
        && let Some(bridged) = implicit_hop(corpus, search, best)?
    {
        return Ok(bridged);
    }
    Ok(conclude(
        &question,
        subject.as_ref().map(|subject| subject.text.as_str()),
        selection,
    ))
}

fn conclude(question: &Question, subject: Option<&str>, selection: Selection) -> SubAnswer {
    let Some(best) = selection.candidates.first() else {
        return SubAnswer::NoEvidence {
            gate: selection.closed,
            reason: reason(question, subject, selection.closed),
        };
    };
    // Without a name it is only likely that two sentences speak of the same thing.
    let is_about_one_thing = subject.is_some() || question.uncased;
    let contradictions = if is_about_one_thing {
        contradictions(question, &selection.candidates)
    } else {
        Vec::new()
    };
    SubAnswer::Found {
        findings: vec![finding(best)],
        contradictions,
    }
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

/// Why no sentence was found, as a sentence for people.
pub(crate) fn reason(question: &Question, subject: Option<&str>, gate: Gate) -> String {
    let Some(subject) = subject else {
        return match gate {
            Gate::Subject => "No document mentions it.".to_owned(),
            Gate::AnswerType => format!("No sentence about it gives {}.", wanted(&question.expected)),
            Gate::Coverage => "No sentence answers it.".to_owned(),
            Gate::Verbatim => "The only sentences about it stand in text that cannot be quoted.".to_owned(),
        };
    };
    match gate {
        Gate::Subject => format!("No sentence is about “{subject}”."),
        Gate::AnswerType => format!(
            "The documents mention “{subject}”, but no sentence about it gives {}.",
            wanted(&question.expected)
        ),
        Gate::Coverage => format!("The documents mention “{subject}”, but no sentence answers this."),
        Gate::Verbatim => {
            format!("The only sentences about “{subject}” stand in text that cannot be quoted.")
        }
    }
}

fn wanted(expected: &AnswerType) -> String {
    match expected {
        AnswerType::Person => "a person".to_owned(),
        AnswerType::Place => "a place".to_owned(),
        AnswerType::Name => "a name".to_owned(),
        AnswerType::Date => "a date".to_owned(),
        AnswerType::Quantity { classes } if classes.is_empty() => "a number".to_owned(),
        AnswerType::Quantity { classes } => {
            let names: Vec<&str> = classes.iter().map(|class| class.name()).collect();
            format!("a number ({})", names.join(" or "))
        }
        AnswerType::Value => "a value".to_owned(),
        AnswerType::Explanation => "an explanation".to_owned(),
    }
}
