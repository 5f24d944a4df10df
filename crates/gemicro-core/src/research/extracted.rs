//! An answer that was found without a model, as the event that states it.

use gemicro_event::{ErrorKind, Failure, Json};

use super::describe::unreadable;
use super::events::SubQueryCompleted;
use super::markers::unmarked_quote;
use super::{Citation, CitedContradiction, ContradictionSide, Grade, RelatedPassage};
use crate::flow::StepOutput;
use crate::offline::{Contradiction, Finding, SubAnswer};

/// The answer with its citations, or why there is none.
pub(super) fn extracted_answer(id: usize, output: &StepOutput) -> Result<SubQueryCompleted, Failure> {
    match output.output.parse::<SubAnswer>() {
        Ok(SubAnswer::Found {
            findings,
            contradictions,
            summary,
            related,
        }) => Ok(SubQueryCompleted {
            related: passages(&related),
            ..describe_extract(id, &findings, contradictions, summary)
        }),
        Ok(SubAnswer::NoEvidence { reason, related, .. }) => Err(no_evidence(reason, &related)),
        Err(error) => Err(unreadable(&error)),
    }
}

/// Nothing answers; the passages that come closest go along.
fn no_evidence(reason: String, related: &[Finding]) -> Failure {
    let related = passages(related);
    let detail = (!related.is_empty()).then(|| Json::from(serde_json::json!({ "related": related })));
    Failure {
        detail,
        ..Failure::new(ErrorKind::NoEvidence, reason)
    }
}

fn passages(related: &[Finding]) -> Vec<RelatedPassage> {
    let passages = related.iter().map(|finding| RelatedPassage {
        doc: finding.doc.clone(),
        span: finding.span.clone(),
        range: finding.range.clone(),
        title: finding.title.clone(),
        date: finding.date.clone(),
    });
    passages.collect()
}

fn describe_extract(
    id: usize,
    findings: &[Finding],
    contradictions: Vec<Contradiction>,
    summary: Option<String>,
) -> SubQueryCompleted {
    let found = findings.iter().map(|finding| Citation {
        number: 0,
        doc: finding.doc.clone(),
        span: finding.span.clone(),
        range: finding.range.clone(),
        title: finding.title.clone(),
        date: finding.date.clone(),
        grade: Grade::Verified,
        claim: None,
    });
    // Both sides of a contradiction are cited, not only the one that answers best.
    let disputed = contradictions
        .iter()
        .flat_map(|contradiction| &contradiction.sides)
        .map(|side| Citation {
            number: 0,
            doc: side.doc.clone(),
            span: side.span.clone(),
            range: side.range.clone(),
            title: side.doc.clone(),
            date: side.date.clone(),
            grade: Grade::Verified,
            claim: None,
        });
    let mut citations: Vec<Citation> = Vec::new();
    for citation in found.chain(disputed) {
        if !citations
            .iter()
            .any(|known| known.doc == citation.doc && known.range == citation.range)
        {
            citations.push(Citation {
                number: citations.len() + 1,
                ..citation
            });
        }
    }
    let sentences = citations
        .iter()
        .map(|citation| format!("{} [{}]", unmarked_quote(&citation.span), citation.number));
    SubQueryCompleted {
        id,
        result: summary
            .iter()
            .map(|it| unmarked_quote(it))
            .chain(sentences)
            .collect::<Vec<_>>()
            .join(" "),
        tokens_used: 0,
        citations,
        contradictions: contradictions.into_iter().map(sides).collect(),
        n_removed: 0,
        n_replaced: 0,
        related: Vec::new(),
        without_model: None,
    }
}

fn sides(contradiction: Contradiction) -> CitedContradiction {
    let sides = contradiction.sides.into_iter();
    CitedContradiction {
        sides: sides
            .map(|side| ContradictionSide {
                doc: side.doc,
                span: side.span,
                value: side.value,
                date: side.date,
            })
            .collect(),
    }
}
