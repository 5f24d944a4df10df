//! All findings of a run under one numbering.

use std::fmt::Write as _;

use gemicro_event::text::first_bytes;

use super::flow::ResearchState;
use super::markers::renumber;
use super::{
    AnsweredWithoutModel, Citation, CitedContradiction, Grade, RelatedPassage, UnansweredQuestion, requests,
};

/// All findings under one numbering.
pub(super) struct Findings {
    /// Query and text of each answered sub-query, with global numbers.
    pub(super) parts: Vec<(String, String)>,
    pub(super) citations: Vec<Citation>,
    pub(super) contradictions: Vec<CitedContradiction>,
    pub(super) unanswered: Vec<UnansweredQuestion>,
    pub(super) related: Vec<RelatedPassage>,
    pub(super) without_model: Vec<AnsweredWithoutModel>,
}

/// Numbers all citations through.
pub(super) fn findings(state: &ResearchState) -> Findings {
    // A revised section goes on counting where its report ended.
    let mut citations: Vec<Citation> = match requests::to_revise(&state.plan) {
        Some(_) => earlier_citations(state),
        None => Vec::new(),
    };
    let mut parts = Vec::new();
    let mut contradictions = Vec::new();
    let mut without_model = Vec::new();
    for (id, completed) in state.completed_queries() {
        let mut numbers = Vec::new();
        for citation in &completed.citations {
            let citation = looked_up(state, citation);
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
        if let Some(reason) = completed.without_model.clone() {
            let query = query.clone();
            without_model.push(AnsweredWithoutModel { query, reason });
        }
        parts.push((query, text));
        contradictions.extend(completed.contradictions.iter().cloned());
    }
    let unanswered = state.failed_queries().into_iter();
    let unanswered = unanswered.map(|(query, failed)| UnansweredQuestion {
        query: query.to_owned(),
        reason: failed.error.clone(),
    });
    Findings {
        parts,
        citations,
        contradictions,
        unanswered: unanswered.collect(),
        related: related_passages(state),
        without_model,
    }
}

/// The passages that come close, each once: first those for the parts without an answer, then those beside answers. What
/// another part cites is left out.
pub(super) fn related_passages(state: &ResearchState) -> Vec<RelatedPassage> {
    let failed = state.failed_queries().into_iter();
    let completed = state.completed_queries();
    let all = failed
        .flat_map(|(_, failed)| &failed.related)
        .chain(completed.values().flat_map(|completed| &completed.related));
    let mut related: Vec<RelatedPassage> = Vec::new();
    for passage in all {
        let is_cited = completed
            .values()
            .flat_map(|completed| &completed.citations)
            .any(|citation| citation.doc == passage.doc && citation.range == passage.range);
        if !is_cited && !related.contains(passage) {
            related.push(passage.clone());
        }
    }
    related
}

fn earlier_citations(state: &ResearchState) -> Vec<Citation> {
    let result = state.plan.base.as_ref().and_then(|base| base.result.as_ref());
    result.map_or_else(Vec::new, |result| result.citations.clone())
}

/// A page that the provider named becomes a proof where it was fetched and holds a sentence that says so.
fn looked_up(state: &ResearchState, citation: &Citation) -> Citation {
    let page = match (citation.grade, state.pages.get(&citation.doc)) {
        (Grade::Provider, Some(Ok(page))) => page,
        (Grade::Provider | Grade::Verified, _) => return citation.clone(),
    };
    let claim = citation.claim.as_deref().unwrap_or_default();
    let span = page.spans.iter().find(|span| span.claim == claim);
    match span.and_then(|it| it.found.as_ref()) {
        Some(found) => Citation {
            doc: page.url.clone(),
            span: found.text.clone(),
            range: found.range.clone(),
            title: page.title.clone(),
            date: page.date.clone(),
            grade: Grade::Verified,
            ..citation.clone()
        },
        None => citation.clone(),
    }
}

/// The findings as the model that writes the report sees them, cut to a size.
pub(super) fn as_text(state: &ResearchState, max_bytes: usize) -> String {
    let findings = findings(state);
    let each = max_bytes / findings.parts.len().max(1);
    let mut text = String::new();
    for (query, answer) in &findings.parts {
        let _ = writeln!(
            text,
            "- {}: {}",
            first_bytes(query, each / 4),
            first_bytes(answer, each * 3 / 4)
        );
    }
    text
}
