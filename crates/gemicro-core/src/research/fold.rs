//! What a research run remembers of each event.

use gemicro_event::{Event, Json, event_enum};
use serde::Deserialize;

use super::events::{
    DecompositionComplete, SourceFetched, SourceNotFetched, SourcesRead, SubQueryCompleted, SubQueryFailed,
};
use super::flow::{ComposedReport, PLAN_QUESTION, QueryProgress, ResearchState, SubQuery};
use super::{report, steps};
use crate::corpus::Passage;
use crate::run::events::{AnswerGiven, StepCompleted, StepFailed};

event_enum! {
    /// What a research run reads of its journal.
    enum ResearchEvent {
        read: SourcesRead, DecompositionComplete, SubQueryCompleted, SubQueryFailed, SourceFetched, SourceNotFetched,
            AnswerGiven, StepCompleted, StepFailed;
    }
}

pub(super) fn fold(state: &mut ResearchState, event: &Event) {
    match ResearchEvent::of(&event.update) {
        ResearchEvent::SourcesRead(read) => state.sources = Some(*read),
        ResearchEvent::DecompositionComplete(complete) => {
            state.sub_queries = Some(with_texts(complete.sub_queries, state.sub_queries.take()));
        }
        ResearchEvent::SubQueryCompleted(completed) => {
            set_progress(state, completed.id, QueryProgress::Completed(completed));
        }
        ResearchEvent::SubQueryFailed(failed) => {
            set_progress(state, failed.id, QueryProgress::Failed(*failed))
        }
        ResearchEvent::SourceFetched(page) => {
            state.pages.insert(page.asked.clone(), Ok(*page));
        }
        ResearchEvent::SourceNotFetched(refused) => {
            state.pages.insert(refused.url.clone(), Err(*refused));
        }
        ResearchEvent::AnswerGiven(given) if given.key == PLAN_QUESTION => take_edits(state, &given.answer),
        ResearchEvent::StepCompleted(completed) => fold_step(state, &completed),
        ResearchEvent::StepFailed(failed)
            if failed.step == steps::sources_key() || steps::ends_run(&failed.step, failed.error.kind) =>
        {
            state.broken = Some(failed.error);
        }
        ResearchEvent::AnswerGiven(_) | ResearchEvent::StepFailed(_) | ResearchEvent::Unknown => {}
    }
}

/// Results that matter beside the domain events: passages found, and the last step's text.
fn fold_step(state: &mut ResearchState, completed: &StepCompleted) {
    if completed.step == steps::synthesis_key() {
        let result = report::from_step(state, &completed.output);
        state.report = Some(ComposedReport { result });
    } else if completed.step == steps::decompose_key() {
        // What the splitter knows; the texts follow with `decomposition_complete` in the same transaction.
        if let Ok(split) = completed.output.parse::<QuerySplit>() {
            let parsed = split.parsed.into_iter();
            state.sub_queries = Some(
                parsed
                    .map(|parsed| sub_query(String::new(), Some(parsed)))
                    .collect(),
            );
        }
    } else if let Some(id) = steps::search_id(state, &completed.step) {
        let passages: Option<Vec<Passage>> = completed.output.parse().ok();
        if let Some(sub_query) = state.sub_queries.as_mut().and_then(|all| all.get_mut(id)) {
            sub_query.passages = passages;
        }
    }
}

/// The output of a decomposition without a model.
#[derive(Deserialize)]
struct QuerySplit {
    parsed: Vec<Json>,
}

fn with_texts(texts: Vec<String>, known: Option<Vec<SubQuery>>) -> Vec<SubQuery> {
    let mut known = known.unwrap_or_default().into_iter();
    texts
        .into_iter()
        .map(|text| sub_query(text, known.next().and_then(|sub_query| sub_query.parsed)))
        .collect()
}

fn sub_query(text: String, parsed: Option<Json>) -> SubQuery {
    SubQuery {
        text,
        parsed,
        passages: None,
        progress: QueryProgress::Open,
    }
}

fn set_progress(state: &mut ResearchState, id: usize, progress: QueryProgress) {
    if let Some(sub_query) = state.sub_queries.as_mut().and_then(|all| all.get_mut(id)) {
        sub_query.progress = progress;
    }
}

/// A person changed the sub-queries before they were started.
fn take_edits(state: &mut ResearchState, answer: &Json) {
    let edited: Option<Vec<String>> = answer
        .get("sub_queries")
        .and_then(|edited| serde_json::from_value(edited.clone()).ok());
    if let Some(edited) = edited.filter(|edited| !edited.is_empty()) {
        let edited = edited.into_iter().take(state.plan.config.max_sub_queries);
        state.sub_queries = Some(edited.map(|text| sub_query(text, None)).collect());
    }
}
