//! The answer people read: numbered sources, contradictions with both sides, gaps named.

use std::fmt::Write as _;

use gemicro_event::{ErrorKind, Failure, Json};
use serde::Deserialize;

use super::events::{FinalResult, ResultMetadata};
use super::flow::ResearchState;
use super::markers::{renumber, without_unknown_links};
use super::verify::find_verbatim;
use super::{Citation, Contradiction, Grade, ResearchEngine, Unanswered};
use crate::corpus::Passage;
use crate::llm::{LlmResponse, json_in};
use crate::run::RunState;

/// A model's answer with only the citations that stand in the sources.
pub(super) struct VerifiedAnswer {
    pub(super) text: String,
    pub(super) citations: Vec<Citation>,
    pub(super) n_removed: usize,
}

#[derive(Deserialize)]
struct ModelAnswer {
    answer: String,
    #[serde(default)]
    citations: Vec<ModelCitation>,
}

#[derive(Deserialize)]
struct ModelCitation {
    source: usize,
    quote: String,
}

/// Checks every quote against the passage it names and drops what is not there.
pub(super) fn verified_answer(
    response: &LlmResponse,
    passages: &[Passage],
) -> Result<VerifiedAnswer, Failure> {
    let answer: ModelAnswer = json_in(&response.text)
        .ok_or_else(|| "it holds no JSON".to_owned())
        .and_then(|json| json.parse().map_err(|error| error.to_string()))
        .map_err(|message| {
            Failure::new(
                ErrorKind::MalformedOutput,
                format!("the model's answer cannot be read: {message}"),
            )
        })?;
    let mut citations: Vec<Citation> = Vec::new();
    let mut numbers: Vec<(usize, usize)> = Vec::new();
    let mut n_removed = 0;
    for cited in &answer.citations {
        let passage = cited.source.checked_sub(1).and_then(|idx| passages.get(idx));
        let passage = passage.filter(|_| says_something(&cited.quote));
        match passage.and_then(|passage| Some((passage, find_verbatim(&passage.text, &cited.quote)?))) {
            Some((passage, place)) => {
                let number = citations.len() + 1;
                numbers.push((cited.source, number));
                citations.push(Citation {
                    number,
                    doc: passage.doc.clone(),
                    span: passage.text[place.clone()].to_owned(),
                    range: passage.range.start + place.start..passage.range.start + place.end,
                    title: passage.title.clone(),
                    date: passage.date.clone(),
                    grade: Grade::Verified,
                });
            }
            None => n_removed += 1,
        }
    }
    if answer.answer.trim().is_empty() || (!passages.is_empty() && citations.is_empty()) {
        let message = match n_removed {
            0 => "the sources hold no answer".to_owned(),
            n => format!("none of the {n} quotes that the model gave stands in the sources"),
        };
        return Err(Failure::new(ErrorKind::NoEvidence, message));
    }
    let text = renumber(&answer.answer, |number| {
        numbers
            .iter()
            .filter(|(source, _)| *source == number)
            .map(|(_, ours)| *ours)
            .collect()
    });
    let text = match passages {
        [] => text,
        _ => without_unknown_links(&text, |link| {
            passages.iter().any(|passage| passage.text.contains(link))
        }),
    };
    Ok(VerifiedAnswer {
        text,
        citations,
        n_removed,
    })
}

/// A dot or a single letter stands in every text and proves nothing.
fn says_something(quote: &str) -> bool {
    quote.chars().filter(|c| c.is_alphanumeric()).count() >= 3
}

/// All findings under one numbering.
struct Findings {
    /// Query and text of each answered sub-query, with global numbers.
    parts: Vec<(String, String)>,
    citations: Vec<Citation>,
    contradictions: Vec<Contradiction>,
    unanswered: Vec<Unanswered>,
}

fn findings(state: &ResearchState) -> Findings {
    let mut citations: Vec<Citation> = Vec::new();
    let mut parts = Vec::new();
    let mut contradictions = Vec::new();
    for (id, completed) in state.completed() {
        let mut numbers = Vec::new();
        for citation in &completed.citations {
            let same = |known: &Citation| known.doc == citation.doc && known.range == citation.range;
            let number = match citations.iter().find(|known| same(known)) {
                Some(known) => known.number,
                None => {
                    let number = citations.len() + 1;
                    citations.push(Citation {
                        number,
                        ..citation.clone()
                    });
                    number
                }
            };
            numbers.push((citation.number, number));
        }
        let text = renumber(&completed.result, |local| {
            numbers
                .iter()
                .filter(|(known, _)| *known == local)
                .map(|(_, global)| *global)
                .collect()
        });
        let query = state
            .sub_queries
            .iter()
            .flatten()
            .nth(id)
            .map_or_else(String::new, |it| it.text.clone());
        parts.push((query, text));
        contradictions.extend(completed.contradictions.iter().cloned());
    }
    let unanswered = state.failed().into_iter();
    let unanswered = unanswered.map(|(query, failed)| Unanswered {
        query: query.to_owned(),
        reason: failed.error.clone(),
    });
    Findings {
        parts,
        citations,
        contradictions,
        unanswered: unanswered.collect(),
    }
}

/// The findings as the model that writes the report sees them, cut to a size.
pub(super) fn findings_text(state: &ResearchState, max_bytes: usize) -> String {
    let findings = findings(state);
    let each = max_bytes / findings.parts.len().max(1);
    let mut text = String::new();
    for (query, answer) in &findings.parts {
        let _ = writeln!(text, "- {}: {}", cut(query, each / 4), cut(answer, each * 3 / 4));
    }
    text
}

/// The report from the last step's output.
pub(super) fn from_step(state: &ResearchState, output: &Json) -> FinalResult {
    match state.plan.engine {
        ResearchEngine::Offline { .. } => without_model(state, None),
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
    if text.trim().is_empty() || (!findings.citations.is_empty() && !keeps_citations) {
        let reason =
            "the report is a plain list of the findings, because the model's text cites none of them";
        return without_model(state, Some(reason.to_owned()));
    }
    assemble(text, findings, None)
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
    assemble(text, findings, reason)
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
            let date = citation
                .date
                .as_ref()
                .map_or_else(String::new, |date| format!(" ({date})"));
            let quote = one_line(&citation.span);
            let _ = write!(
                answer,
                "\n{}. {}{date}: \"{quote}\"",
                citation.number, citation.doc
            );
        }
    }
    FinalResult {
        answer,
        metadata: ResultMetadata {
            total_tokens: 0,
            duration_ms: 0,
            sub_queries_succeeded: 0,
            sub_queries_failed: 0,
            micro_usd: 0,
        },
        citations: findings.citations,
        contradictions: findings.contradictions,
        unanswered: findings.unanswered,
        partial,
    }
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
