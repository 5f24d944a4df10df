//! What a research run remembers of each event.

use gemicro_event::{Event, Json};
use serde::Deserialize;

use super::events::ResearchReaders;
use super::flow::{Composed, PLAN_QUESTION, Progress, ResearchState, SubQuery};
use super::{report, steps};
use crate::corpus::Passage;
use crate::run::events::RunReaders;

pub(super) fn fold(state: &mut ResearchState, event: &Event) {
    let update = &event.update;
    match update.event_type.as_str() {
        "sources_read" => state.sources = update.as_sources_read(),
        "decomposition_complete" => {
            if let Some(complete) = update.as_decomposition_complete() {
                state.sub_queries = Some(with_texts(complete.sub_queries, state.sub_queries.take()));
            }
        }
        "sub_query_completed" => {
            if let Some(completed) = update.as_sub_query_completed() {
                let id = completed.id;
                set_progress(state, id, Progress::Completed(Box::new(completed)));
            }
        }
        "sub_query_failed" => {
            if let Some(failed) = update.as_sub_query_failed() {
                set_progress(state, failed.id, Progress::Failed(failed));
            }
        }
        "source_fetched" => {
            if let Some(page) = update.as_source_fetched() {
                state.pages.insert(page.asked.clone(), Ok(page));
            }
        }
        "source_not_fetched" => {
            if let Some(refused) = update.as_source_not_fetched() {
                state.pages.insert(refused.url.clone(), Err(refused));
            }
        }
        "answer_given" => {
            if let Some(given) = update
                .as_answer_given()
                .filter(|given| given.key == PLAN_QUESTION)
            {
                take_edits(state, &given.answer);
            }
        }
        "step_completed" => fold_step(state, event),
        "step_failed" => {
            if let Some(failed) = update.as_step_failed()
                && (failed.step == steps::sources_key() || steps::ends_run(&failed.step, failed.error.kind))
            {
                state.broken = Some(failed.error);
            }
        }
        _ => {}
    }
}

/// Results that matter beside the domain events: passages found, and the last step's text.
fn fold_step(state: &mut ResearchState, event: &Event) {
    let Some(completed) = event.update.as_step_completed() else {
        return;
    };
    if completed.step == steps::synthesis_key() {
        let result = report::from_step(state, &completed.output);
        state.report = Some(Composed { result });
    } else if completed.step == steps::decompose_key() {
        // What the splitter knows; the texts follow with `decomposition_complete` in the same transaction.
        if let Ok(split) = completed.output.parse::<Split>() {
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
struct Split {
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
        progress: Progress::Open,
    }
}

fn set_progress(state: &mut ResearchState, id: usize, progress: Progress) {
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
