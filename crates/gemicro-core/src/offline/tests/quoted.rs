//! What no-model research quotes for a whole question.

use crate::corpus::Corpus;
use crate::offline::SubAnswer;
use crate::offline::answer::answer;
use crate::offline::decompose::decompose;

/// What the answers to all parts of a question quote and say.
#[derive(Debug, Default)]
pub(crate) struct Quoted {
    pub(crate) citations: Vec<Quote>,
    pub(crate) text: String,
    pub(crate) reasons: Vec<String>,
}

/// One quoted sentence.
#[derive(Debug, PartialEq)]
pub(crate) struct Quote {
    pub(crate) doc: String,
    pub(crate) span: String,
    pub(crate) range: std::ops::Range<usize>,
}

pub(crate) fn research(corpus: &dyn Corpus, question: &str) -> Quoted {
    let mut quoted = Quoted::default();
    for sub_question in decompose(question, 5) {
        match answer(corpus, &sub_question).unwrap() {
            SubAnswer::NoEvidence { reason, .. } => quoted.reasons.push(reason),
            SubAnswer::Found {
                findings,
                contradictions,
                ..
            } => {
                let found = findings.into_iter().map(|it| Quote {
                    doc: it.doc,
                    span: it.span,
                    range: it.range,
                });
                let sides = contradictions
                    .into_iter()
                    .flat_map(|contradiction| contradiction.sides);
                let sides = sides.map(|it| Quote {
                    doc: it.doc,
                    span: it.span,
                    range: it.range,
                });
                for quote in found.chain(sides) {
                    quoted.text.push_str(&quote.span);
                    quoted.text.push(' ');
                    if !quoted.citations.contains(&quote) {
                        quoted.citations.push(quote);
                    }
                }
            }
        }
    }
    quoted
}
