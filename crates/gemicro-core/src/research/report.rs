//! The answer people read: numbered sources, contradictions with both sides, gaps named.

use std::fmt::Write as _;

use gemicro_event::text::{first_bytes, one_line};
use gemicro_event::{ErrorKind, Json};

use super::claims::held_to_quotes;
use super::events::{FinalResult, ResultMetadata};
use super::findings::{Findings, findings};
use super::flow::ResearchState;
use super::markers::{marks, names_link, renumber, without_unknown_links};
use super::sections::{self, ReportSection};
use super::{Citation, CitedContradiction, Grade, ResearchEngine, requests};
use crate::llm::LlmResponse;
use crate::run::RunState;

/// The report from the last step's output.
pub(super) fn from_step(state: &ResearchState, output: &Json) -> FinalResult {
    match state.plan.engine {
        ResearchEngine::Offline { .. } | ResearchEngine::Agent { .. } => without_model(state, None),
        ResearchEngine::Model { .. } if state.is_answered_without_model() => without_model(state, None),
        ResearchEngine::Model { .. } => from_model(state, output),
    }
}

fn from_model(state: &ResearchState, output: &Json) -> FinalResult {
    let findings = findings(state);
    let written = output
        .parse::<LlmResponse>()
        .map(|response| sections::without_own(first_bytes(&response.text, MAX_TEXT)))
        .unwrap_or_default();
    let known = |number: usize| {
        findings
            .citations
            .iter()
            .any(|citation| citation.number == number)
    };
    let text = renumber(written.trim(), |number| {
        if known(number) { vec![number] } else { Vec::new() }
    });
    let text = without_unknown_links(&text, |link| {
        names_link(&state.plan.question, link)
            || findings.parts.iter().any(|(_, part)| names_link(part, link))
    });
    let (text, n_replaced) = held_to_quotes(&text, &state.plan.question, &findings.citations);
    let keeps_citations = findings
        .citations
        .iter()
        .any(|it| text.contains(&format!("[{}]", it.number)));
    let must_cite = !findings.citations.is_empty() && requests::to_revise(&state.plan).is_none();
    if text.trim().is_empty() || (must_cite && !keeps_citations) {
        let reason =
            "the report is a plain list of the findings, because the model's text cites none of them";
        return without_model(state, Some(reason.to_owned()));
    }
    match requests::to_revise(&state.plan) {
        Some(_) => final_report(state, text, findings, None),
        None => {
            let (mut text, findings) = only_used(&text, findings);
            if n_replaced > 0 {
                let _ = write!(text, "\n\n_{}_", replaced_note(n_replaced));
            }
            final_report(state, text, findings, None)
        }
    }
}

/// What the text points to and what disagrees stays, numbered anew; a source that nobody uses proves nothing.
fn only_used(text: &str, mut findings: Findings) -> (String, Findings) {
    let marked = marks(text);
    let disputed = |it: &Citation| {
        let sides = findings.contradictions.iter().flat_map(|known| &known.sides);
        sides
            .into_iter()
            .any(|side| side.doc == it.doc && side.span == it.span)
    };
    let mut used = std::mem::take(&mut findings.citations);
    used.retain(|it| marked.contains(&it.number) || disputed(it));
    let text = renumber(text, |number| {
        let place = used.iter().position(|it| it.number == number);
        place.map(|idx| idx + 1).into_iter().collect()
    });
    for (citation, number) in used.iter_mut().zip(1..) {
        citation.number = number;
    }
    findings.citations = used;
    (text, findings)
}

/// Bytes of a model's report that are read; what it may write is far less.
const MAX_TEXT: usize = 512 * 1024;
/// Said below an answer that names no source.
const UNPROVEN: &str =
    "_No source is named for this: it is what the model says, and nothing of it is proven._";

fn replaced_note(n_replaced: usize) -> String {
    let sentences = match n_replaced {
        1 => "1 sentence of the model said more than its source and was".to_owned(),
        n => format!("{n} sentences of the model said more than their sources and were"),
    };
    format!("{sentences} replaced by the quoted words.")
}

/// Which parts were answered without the model; only that they were where it is all of them.
fn without_model_note(findings: &Findings) -> Option<String> {
    let first = findings.without_model.first()?;
    if findings.without_model.len() == findings.parts.len() {
        return Some(format!("Answered without the model: {}.", first.reason));
    }
    let queries: Vec<String> = findings
        .without_model
        .iter()
        .map(|it| format!("“{}”", one_line(&it.query)))
        .collect();
    Some(format!(
        "Answered without the model: {} ({}).",
        queries.join(", "),
        first.reason
    ))
}

/// The report, or the earlier one with its section written anew.
fn final_report(
    state: &ResearchState,
    text: String,
    findings: Findings,
    partial: Option<String>,
) -> FinalResult {
    match requests::to_revise(&state.plan) {
        Some((report, section)) => revise_section(
            report,
            &section,
            &text,
            (findings, state.n_earlier_citations()),
            partial,
        ),
        None if findings.citations.is_empty()
            && !matches!(state.plan.engine, ResearchEngine::Offline { .. }) =>
        {
            assemble(format!("{}\n\n{UNPROVEN}", text.trim()), findings, partial)
        }
        None => assemble(text, findings, partial),
    }
}

/// Every byte outside the section stays; new sources are added at the end of their list.
fn revise_section(
    report: &str,
    section: &ReportSection,
    text: &str,
    (findings, n_earlier): (Findings, usize),
    partial: Option<String>,
) -> FinalResult {
    // Without a word to put in its place the section stays as it is.
    let mut answer = match text.trim() {
        "" => report.to_owned(),
        text => sections::replace(report, &section.body, text),
    };
    let new = &findings.citations[n_earlier.min(findings.citations.len())..];
    if !new.is_empty() {
        if n_earlier == 0 {
            answer.push_str("\n\n## Sources\n");
        }
        for citation in new {
            answer.push_str(&source_line(citation));
        }
    }
    FinalResult {
        answer,
        metadata: ResultMetadata::default(),
        citations: findings.citations,
        contradictions: findings.contradictions,
        unanswered: findings.unanswered,
        related: findings.related,
        without_model: findings.without_model,
        partial,
    }
}

/// The report put together from the findings as they are.
pub(super) fn without_model(state: &ResearchState, reason: Option<String>) -> FinalResult {
    let findings = findings(state);
    let n_asked = findings.parts.len() + findings.unanswered.len();
    let text = match findings.parts.as_slice() {
        [(_, answer)] if n_asked == 1 => answer.clone(),
        parts => {
            let parts = parts
                .iter()
                .map(|(query, answer)| format!("**{}**\n\n{answer}", one_line(query)));
            parts.collect::<Vec<_>>().join("\n\n")
        }
    };
    final_report(state, text, findings, reason)
}

/// Text, contradictions, gaps and numbered sources in one Markdown document.
fn assemble(text: String, findings: Findings, partial: Option<String>) -> FinalResult {
    let mut answer = text.trim().to_owned();
    if let Some(note) = without_model_note(&findings) {
        let _ = write!(answer, "\n\n_{note}_");
    }
    if !findings.contradictions.is_empty() {
        answer.push_str("\n\n## Contradictions\n");
        for contradiction in &findings.contradictions {
            let _ = write!(answer, "\n- {}", sides_text(contradiction, &findings.citations));
        }
    }
    if !findings.unanswered.is_empty() {
        answer.push_str("\n\n## Without an answer\n");
        for gap in &findings.unanswered {
            let _ = write!(answer, "\n- {}: {}", one_line(&gap.query), one_line(&gap.reason));
        }
    }
    if !findings.citations.is_empty() {
        answer.push_str("\n\n## Sources\n");
        for citation in &findings.citations {
            answer.push_str(&source_line(citation));
        }
    }
    FinalResult {
        answer,
        metadata: ResultMetadata::default(),
        citations: findings.citations,
        contradictions: findings.contradictions,
        unanswered: findings.unanswered,
        related: findings.related,
        without_model: findings.without_model,
        partial,
    }
}

/// One numbered source with its proof, or the word that there is none.
fn source_line(citation: &Citation) -> String {
    let date = citation
        .date
        .as_ref()
        .map_or_else(String::new, |date| format!(" ({date})"));
    let title = one_line(&citation.title);
    let said = match citation.grade {
        Grade::Verified => format!("\"{}\"", one_line(&citation.span)),
        Grade::Provider if title.is_empty() => "named by the provider, not verified".to_owned(),
        Grade::Provider => format!("{title} (named by the provider, not verified)"),
    };
    format!("\n{}. {}{date}: {said}", citation.number, one_line(&citation.doc))
}

fn sides_text(contradiction: &CitedContradiction, citations: &[Citation]) -> String {
    let sides = contradiction.sides.iter().map(|side| {
        let cited = citations
            .iter()
            .find(|it| it.doc == side.doc && it.span == side.span);
        let number = cited.map_or_else(String::new, |it| format!(" [{}]", it.number));
        let date = side
            .date
            .as_ref()
            .map_or_else(|| "undated".to_owned(), Clone::clone);
        format!(
            "{} says **{}** ({date}){number}",
            one_line(&side.doc),
            one_line(&side.value)
        )
    });
    sides.collect::<Vec<_>>().join("; ")
}

/// Fills in what only the run knows.
pub(super) fn with_figures(mut result: FinalResult, state: &ResearchState, run: &RunState) -> FinalResult {
    result.metadata = ResultMetadata {
        sub_queries_succeeded: state.completed_queries().len(),
        sub_queries_failed: state.failed_queries().len(),
        ..ResultMetadata::of(run)
    };
    result.partial = result.partial.or_else(|| gaps(state));
    result
}

/// What limits and failures took from the result; a part without evidence is an answer of its own.
fn gaps(state: &ResearchState) -> Option<String> {
    let kinds: Vec<ErrorKind> = state
        .failed_queries()
        .iter()
        .map(|(_, failed)| failed.error_kind)
        .collect();
    let refused = kinds
        .iter()
        .filter(|kind| **kind == ErrorKind::BudgetExceeded)
        .count();
    let honest = kinds
        .iter()
        .filter(|kind| **kind == ErrorKind::NoEvidence)
        .count();
    let refused_text = format!("the budget did not allow {refused} of the sub-queries");
    match (refused, kinds.len() - refused - honest) {
        (0, 0) => None,
        (_, 0) => Some(refused_text),
        (0, broken) => Some(format!("{broken} of the sub-queries failed")),
        (_, broken) => Some(format!("{refused_text}, and {broken} failed")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn citation(number: usize, doc: &str) -> Citation {
        Citation {
            number,
            doc: doc.to_owned(),
            span: format!("{doc} says so."),
            range: 0..1,
            title: doc.to_owned(),
            date: None,
            grade: Grade::Verified,
            claim: None,
        }
    }

    #[test]
    fn a_report_lists_what_it_uses() {
        let side = |doc: &str| super::super::ContradictionSide {
            doc: doc.to_owned(),
            span: format!("{doc} says so."),
            value: doc.to_owned(),
            date: None,
        };
        let findings = Findings {
            parts: Vec::new(),
            citations: (1..=4)
                .zip(["a", "b", "c", "d"])
                .map(|(n, doc)| citation(n, doc))
                .collect(),
            contradictions: vec![CitedContradiction {
                sides: vec![side("a"), side("d")],
            }],
            unanswered: Vec::new(),
            related: Vec::new(),
            without_model: Vec::new(),
        };
        let (text, findings) = only_used("It is so [3], so [3][1].", findings);
        assert_eq!(text, "It is so [2], so [2][1].");
        let kept: Vec<(usize, &str)> = findings
            .citations
            .iter()
            .map(|it| (it.number, it.doc.as_str()))
            .collect();
        assert_eq!(kept, [(1, "a"), (2, "c"), (3, "d")]);
    }
}
