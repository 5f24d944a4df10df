//! Bridges between documents: one names the place, person or thing that the other describes.
//!
//! The main function is [`answer_hop`]. The first hop finds the sentence that the clause describes; every
//! new name in it is tried as the subject of the second. A planted passage is never hopped over.

use super::answer::{answer_text, finding};
use super::decompose::Hop;
use super::finding::{Gate, SubAnswer};
use super::question::{AnswerType, Question};
use super::resolve::{Resolution, resolve};
use super::select::select;
use super::techniques::Techniques;
use crate::corpus::{Corpus, CorpusError};

/// How many sentences of the first hop are followed.
const FOLLOWED: usize = 3;

/// Answers a question about something that another document has to name first.
pub(crate) fn answer_hop(corpus: &dyn Corpus, hop: &Hop, techniques: &Techniques) -> Result<SubAnswer, CorpusError> {
    let mut first = Question::read(&hop.clause);
    first.expected = AnswerType::Place;
    let subject = match resolve(corpus, &first)? {
        Resolution::Subject(subject) => Some(subject),
        Resolution::Open => None,
        Resolution::Absent(name) => {
            return Ok(SubAnswer::NoEvidence { gate: Gate::Subject, reason: format!("No document names “{name}”.") });
        }
    };
    let selection = select(corpus, &first, subject.as_ref(), techniques)?;
    let mut closed = SubAnswer::NoEvidence { gate: selection.closed, reason: format!("No document says what “{}” is.", hop.clause.trim()) };
    for candidate in selection.candidates.iter().take(FOLLOWED) {
        for name in candidate.names.iter().rev() {
            let question = with_name(&hop.question, name);
            match answer_text(corpus, &question, techniques)? {
                SubAnswer::Found { mut findings, contradictions } => {
                    let mut bridge = finding(candidate);
                    bridge.why = format!("It names “{name}”, which the next source is about.");
                    bridge.value = Some(name.clone());
                    findings.insert(0, bridge);
                    return Ok(SubAnswer::Found { findings, contradictions });
                }
                SubAnswer::NoEvidence { gate, reason } => closed = SubAnswer::NoEvidence { gate, reason },
            }
        }
    }
    Ok(closed)
}

/// Puts the name in for its placeholder in the outer question.
fn with_name(question: &str, name: &str) -> String {
    question.replace(super::decompose::PLACEHOLDER, name)
}
