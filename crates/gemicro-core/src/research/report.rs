//! The answer people read: numbered sources, contradictions with both sides, gaps named.

use std::fmt::Write as _;

use gemicro_event::{ErrorKind, Json};

use super::events::{FinalResult, ResultMetadata};
use super::findings::{Findings, findings};
use super::flow::ResearchState;
use super::markers::{renumber, without_unknown_links};
use super::sections::{self, Section};
use super::{Citation, Contradiction, Grade, ResearchEngine, requests};
use crate::llm::LlmResponse;
use crate::run::RunState;

/// The report from the last step's output.
pub(super) fn from_step(state: &ResearchState, output: &Json) -> FinalResult {
    match state.plan.engine {
        ResearchEngine::Offline { .. } | ResearchEngine::Agent { .. } => without_model(state, None),
        ResearchEngine::Model { .. } => from_model(state, output),
    }
}

fn from_model(state: &ResearchState, output: &Json) -> FinalResult {
    let findings = findings(state);
    let written = output
        .parse::<LlmResponse>()
        .map(|response| response.text)
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
        findings.parts.iter().any(|(_, part)| part.contains(link))
    });
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
    finished(state, text, findings, None)
}

/// The report, or the earlier one with its section written anew.
fn finished(state: &ResearchState, text: String, findings: Findings, partial: Option<String>) -> FinalResult {
    match requests::to_revise(&state.plan) {
        Some((report, section)) => revised(report, &section, &text, findings, partial),
        None => assemble(text, findings, partial),
    }
}

/// Every byte outside the section stays; new sources are added at the end of their list.
fn revised(
    report: &str,
    section: &Section,
    text: &str,
    findings: Findings,
    partial: Option<String>,
) -> FinalResult {
    // Without a word to put in its place the section stays as it is.
    let mut answer = match text.trim() {
        "" => report.to_owned(),
        text => sections::replace(report, &section.body, text),
    };
    let is_listed = |number: usize| report.contains(&format!("\n{number}. "));
    let new: Vec<&Citation> = findings
        .citations
        .iter()
        .filter(|it| !is_listed(it.number))
        .collect();
    if !new.is_empty() {
        if !report.contains("\n## Sources\n") {
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
                .map(|(query, answer)| format!("**{}**\n\n{answer}", query.trim()));
            parts.collect::<Vec<_>>().join("\n\n")
        }
    };
    finished(state, text, findings, reason)
}

/// Text, contradictions, gaps and numbered sources in one Markdown document.
fn assemble(text: String, findings: Findings, partial: Option<String>) -> FinalResult {
    let mut answer = text.trim().to_owned();
    if !findings.contradictions.is_empty() {
        answer.push_str("\n\n## Contradictions\n");
        for contradiction in &findings.contradictions {
            let _ = write!(answer, "\n- {}", sides_text(contradiction, &findings.citations));
        }
    }
    if !findings.unanswered.is_empty() {
        answer.push_str("\n\n## Without an answer\n");
        for gap in &findings.unanswered {
            let _ = write!(answer, "\n- {}: {}", gap.query.trim(), gap.reason);
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
    format!("\n{}. {}{date}: {said}", citation.number, citation.doc)
}

fn sides_text(contradiction: &Contradiction, citations: &[Citation]) -> String {
    let sides = contradiction.sides.iter().map(|side| {
        let cited = citations
            .iter()
            .find(|it| it.doc == side.doc && it.span == side.span);
        let number = cited.map_or_else(String::new, |it| format!(" [{}]", it.number));
        let date = side
            .date
            .as_ref()
            .map_or_else(|| "undated".to_owned(), Clone::clone);
        format!("{} says **{}** ({date}){number}", side.doc, one_line(&side.value))
    });
    sides.collect::<Vec<_>>().join("; ")
}

/// Fills in what only the run knows.
pub(super) fn with_figures(mut result: FinalResult, state: &ResearchState, run: &RunState) -> FinalResult {
    let spent = run.ledger.spent();
    result.metadata = ResultMetadata {
        total_tokens: spent.tokens,
        duration_ms: run.worked_ms_at(run.last_at),
        sub_queries_succeeded: state.completed().len(),
        sub_queries_failed: state.failed().len(),
        micro_usd: spent.micro_usd,
        unpriced: spent.tokens > 0 && state.plan.is_unpriced(),
    };
    result.partial = result.partial.or_else(|| gaps(state));
    result
}

/// What limits and failures took from the result; a part without evidence is an answer of its own.
fn gaps(state: &ResearchState) -> Option<String> {
    let kinds: Vec<ErrorKind> = state
        .failed()
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

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The beginning of a text, at most this long.
pub(super) fn cut(text: &str, max_bytes: usize) -> &str {
    let mut end = text.len().min(max_bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
