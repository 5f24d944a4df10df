//! The structured report of an ended run: summary, findings, contradictions, gaps, and sources with their quotes in place.

use std::ops::Range;

use gemicro_event::{Event, Failure};

use super::base::{EndedRun, ended_run};
use super::events::{FinalResult, ResearchReaders, ResultMetadata};
use super::findings::{findings, related_passages};
use super::flow::ResearchState;
use super::markers::renumber;
use super::sections;
use super::{Citation, CitedContradiction, RelatedPassage, UnansweredQuestion};
use crate::blob::BlobId;
use crate::corpus::Document;

/// Bytes of the passage shown on either side of a quote.
const CONTEXT_BYTES: usize = 320;

/// Everything that a research run found, under one numbering of its sources.
#[derive(Debug, Clone, PartialEq)]
pub struct ResearchReport {
    /// As the user asked it.
    pub question: String,
    /// The answer without its lists of contradictions, gaps and sources; empty where nothing answers.
    pub summary: String,
    /// One for each answered sub-query; empty where the summary says the same.
    pub findings: Vec<ReportFinding>,
    /// Documents that disagree, from all findings.
    pub contradictions: Vec<CitedContradiction>,
    /// Sub-queries without an answer, with the reason.
    pub gaps: Vec<UnansweredQuestion>,
    /// Passages that come close to the gaps; they may not answer.
    pub related: Vec<RelatedPassage>,
    /// The sources that summary and findings refer to, by number.
    pub sources: Vec<ReportSource>,
    /// Why the result is less than it could have been.
    pub partial: Option<String>,
    /// Zero for a run that found nothing.
    pub metadata: ResultMetadata,
    /// Where the full texts of the sources are.
    pub stored: StoredTexts,
}

/// A sub-query and its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportFinding {
    /// The text of the sub-query.
    pub query: String,
    /// Markdown; numbers in brackets refer to the sources of the report.
    pub answer: String,
}

/// A source of the report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportSource {
    /// Under the report's own number.
    pub citation: Citation,
    /// Absent until [`ResearchReport::place_quotes`] found the quote in its document.
    pub context: Option<QuoteContext>,
}

/// The stored text around a quote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuoteContext {
    /// Up to 320 bytes, starting with a whole word.
    pub before: String,
    /// Byte for byte as stored.
    pub quote: String,
    /// Up to 320 bytes, ending with a whole word.
    pub after: String,
}

/// Where the texts of a run are stored.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoredTexts {
    /// The texts of folders and files; absent for a run without sources.
    pub pack: Option<BlobId>,
    /// One blob for each fetched page.
    pub pages: Vec<BlobId>,
}

impl ResearchReport {
    /// Reads the journal of a research run that has ended.
    ///
    /// # Errors
    /// When it is no research run, or has not ended.
    pub fn read(events: &[Event]) -> Result<Self, Failure> {
        let EndedRun { state, last, .. } = ended_run(events)?;
        let result = last.update.as_final_result();
        let (findings, sources) = numbered_like(result.as_ref(), &state);
        let summary = match &result {
            Some(result) => sections::without_own(&result.answer).trim().to_owned(),
            None => String::new(),
        };
        let is_repeated = |finding: &ReportFinding| summary.contains(finding.answer.trim());
        let gaps = state.failed_queries().into_iter();
        let gaps = gaps.map(|(query, failed)| UnansweredQuestion {
            query: query.to_owned(),
            reason: failed.error.clone(),
        });
        let completed = state.completed_queries().into_values();
        Ok(Self {
            question: state.plan.question.clone(),
            findings: match findings.iter().all(is_repeated) {
                true => Vec::new(),
                false => findings,
            },
            summary,
            contradictions: completed.flat_map(|it| it.contradictions.clone()).collect(),
            gaps: gaps.collect(),
            related: related_passages(&state),
            sources,
            partial: result.as_ref().and_then(|it| it.partial.clone()),
            metadata: result.map_or_else(ResultMetadata::default, |it| it.metadata),
            stored: stored_texts(&state),
        })
    }

    /// Shows each quote in its document. A quote that is not at its range, or whose document is missing, gets no context.
    pub fn place_quotes(&mut self, documents: &[Document]) {
        for source in &mut self.sources {
            let document = documents.iter().find(|it| it.doc == source.citation.doc);
            source.context = document.and_then(|it| quote_context(it, &source.citation));
        }
    }
}

/// The findings with the numbers of the final result; sources that the result does not list come after its own.
fn numbered_like(
    result: Option<&FinalResult>,
    state: &ResearchState,
) -> (Vec<ReportFinding>, Vec<ReportSource>) {
    let found = findings(state);
    let mut sources = result.map_or_else(Vec::new, |it| it.citations.clone());
    let mut numbers = Vec::new();
    for citation in found.citations {
        let same = |it: &&Citation| it.doc == citation.doc && it.range == citation.range;
        let known = sources.iter().find(same).map(|it| it.number);
        let number = known.unwrap_or_else(|| sources.iter().map(|it| it.number).max().unwrap_or(0) + 1);
        numbers.push((citation.number, number));
        if known.is_none() {
            sources.push(Citation { number, ..citation });
        }
    }
    let renumbered = found.parts.into_iter().map(|(query, answer)| ReportFinding {
        query,
        answer: renumber(&answer, |local| {
            let known = numbers.iter().filter(|(from, _)| *from == local);
            known.map(|(_, number)| *number).collect()
        }),
    });
    let unplaced = |citation| ReportSource {
        citation,
        context: None,
    };
    (renumbered.collect(), sources.into_iter().map(unplaced).collect())
}

fn stored_texts(state: &ResearchState) -> StoredTexts {
    let pages = state.pages.values();
    StoredTexts {
        pack: state.sources.as_ref().and_then(|it| BlobId::parse(&it.pack)),
        pages: pages
            .filter_map(|page| Some(page.as_ref().ok()?.blob.clone()))
            .collect(),
    }
}

fn quote_context(document: &Document, citation: &Citation) -> Option<QuoteContext> {
    let text = document.text.as_str();
    let Range { start, end } = citation.range.clone();
    let quote = text.get(start..end).filter(|quote| !quote.is_empty())?;
    let from = text.floor_char_boundary(start.saturating_sub(CONTEXT_BYTES));
    let to = text.ceil_char_boundary((end + CONTEXT_BYTES).min(text.len()));
    // Words are not cut in two, unless there is only one.
    let from = match text[from..start].find(char::is_whitespace) {
        Some(at) if from > 0 => text.ceil_char_boundary(from + at + 1),
        _ => from,
    };
    let to = match text[end..to].rfind(char::is_whitespace) {
        Some(at) if to < text.len() => end + at,
        _ => to,
    };
    Some(QuoteContext {
        before: shown_text(document, from..start),
        quote: quote.to_owned(),
        after: shown_text(document, end..to),
    })
}

/// A part of a document without what readers of the document do not see. Marks between blocks stay.
fn shown_text(document: &Document, range: Range<usize>) -> String {
    let mut shown = String::new();
    let mut at = range.start;
    let add_gap = |shown: &mut String, gap: &str| match gap.contains(char::is_alphanumeric) {
        true => shown.push('\n'),
        false => shown.push_str(gap),
    };
    for block in &document.blocks {
        let (start, end) = (block.range.start.max(at), block.range.end.min(range.end));
        if start < end {
            add_gap(&mut shown, &document.text[at..start]);
            shown.push_str(&document.text[start..end]);
            at = end;
        }
    }
    add_gap(&mut shown, &document.text[at..range.end]);
    shown
}
