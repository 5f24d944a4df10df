//! The steps of a research run: what each does and what it may cost.

use gemicro_event::{Charge, ErrorKind, StepKey};

use super::fit::{fit, share_of, smaller, smallest};
use super::flow::{ResearchState, SubQuery};
use super::{PromptSet, ResearchEngine, ResearchPlan, executors, requests};
use crate::budget::Purpose;
use crate::corpus::{CorpusRequest, Passage};
use crate::flow::Step;
use crate::llm::{LlmConfig, LlmRequest, llm_step};
use crate::run::RunState;

/// Time one page may take, redirects and all.
const FETCH_MS: u64 = 30_000;

/// What a step is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StepRole {
    Sources,
    Decompose,
    Search(usize),
    Answer(usize),
    Web(usize),
    /// Answers without the model what it answered without a verified quote.
    WithoutModel(usize),
    /// Fetches a page that answers name.
    Fetch,
    Synthesize,
}

pub(super) fn sources_key() -> StepKey {
    StepKey::new("sources")
}

pub(super) fn decompose_key() -> StepKey {
    StepKey::new("decompose")
}

pub(super) fn synthesis_key() -> StepKey {
    StepKey::new("synthesize")
}

fn search_key(id: usize) -> StepKey {
    StepKey::new(format!("search {}", id + 1))
}

fn web_key(id: usize) -> StepKey {
    StepKey::new(format!("web {}", id + 1))
}

fn without_model_key(id: usize) -> StepKey {
    StepKey::new(format!("without model {}", id + 1))
}

fn fetch_key(url: &str) -> StepKey {
    StepKey::new(format!("fetch {url}"))
}

fn answer_key(id: usize) -> StepKey {
    StepKey::new(format!("sub-query {}", id + 1))
}

/// What the step with this key is for; keys are compared, never taken apart.
pub(super) fn role_of(state: &ResearchState, key: &StepKey) -> Option<StepRole> {
    let fixed = [
        (sources_key(), StepRole::Sources),
        (decompose_key(), StepRole::Decompose),
        (synthesis_key(), StepRole::Synthesize),
    ];
    let n_sub_queries = state.sub_queries.as_ref().map_or(0, Vec::len);
    let numbered = (0..n_sub_queries).flat_map(|id| {
        [
            (search_key(id), StepRole::Search(id)),
            (answer_key(id), StepRole::Answer(id)),
            (web_key(id), StepRole::Web(id)),
            (without_model_key(id), StepRole::WithoutModel(id)),
        ]
    });
    let pages = state.cited_pages().into_keys();
    let pages = pages.map(|url| (fetch_key(url), StepRole::Fetch));
    fixed
        .into_iter()
        .chain(numbered)
        .chain(pages)
        .find(|(known, _)| known == key)
        .map(|(_, role)| role)
}

/// Whether a final failure of this step ends the run: without sources there is nothing to read, and a
/// refused credential will be refused again.
pub(super) fn ends_run(key: &StepKey, kind: ErrorKind) -> bool {
    let hopeless = matches!(
        kind,
        ErrorKind::AuthFailed | ErrorKind::UnknownModel | ErrorKind::StorageError | ErrorKind::Internal
    );
    *key == sources_key() || (*key == decompose_key() && hopeless)
}

/// The step every sub-query begins with.
pub(super) fn first_role(plan: &ResearchPlan, id: usize) -> StepRole {
    match &plan.engine {
        ResearchEngine::Model { .. } if plan.has_sources() => StepRole::Search(id),
        ResearchEngine::Model { web: true, .. } => StepRole::Web(id),
        ResearchEngine::Model { .. } | ResearchEngine::Agent { .. } | ResearchEngine::Offline { .. } => {
            StepRole::Answer(id)
        }
    }
}

/// Whether there is something to write although nothing was found: a section can be put in other words.
pub(super) fn can_do_without_findings(plan: &ResearchPlan) -> bool {
    matches!(plan.engine, ResearchEngine::Model { .. }) && requests::to_revise(plan).is_some()
}

/// Whether a sub-query is answered without the model if the model's answer has no verified quote. With a web search, that
/// is asked instead.
pub(super) fn has_fallback(plan: &ResearchPlan) -> bool {
    matches!(plan.engine, ResearchEngine::Model { web: false, .. }) && plan.has_sources()
}

/// Whether the web may answer what the sources do not.
pub(super) fn may_search_web(plan: &ResearchPlan) -> bool {
    matches!(plan.engine, ResearchEngine::Model { web: true, .. })
}

pub(super) fn sources(plan: &ResearchPlan) -> Step {
    let wanted = CorpusRequest {
        paths: plan.sources.clone(),
        pack: plan.base.as_ref().and_then(|base| base.pack.clone()),
        ledger: plan.base.as_ref().and_then(|base| base.ledger.clone()),
        pages: plan
            .base
            .as_ref()
            .map_or_else(Vec::new, |base| base.pages.clone()),
    };
    let input = serde_json::to_value(wanted).expect("paths and ids are JSON");
    free(sources_key(), executors::SOURCES_STEP, input, Purpose::Ordinary)
}

/// Splits the question: by the model where it can be paid, by rules otherwise.
pub(super) fn decompose(state: &ResearchState, run: &RunState) -> Step {
    let plan = &state.plan;
    if plan.given_sub_queries().is_some() {
        let input = serde_json::json!({});
        return free(decompose_key(), executors::COMPOSE_STEP, input, Purpose::Ordinary);
    }
    if let ResearchEngine::Model { llm, prompts, .. } = &plan.engine {
        let room = run.ledger.available(Purpose::Ordinary);
        // A quarter at most, and never what the one answer needs that makes a report possible.
        let room = smaller(share_of(room, 4), room.minus(plan.minimum()));
        if let Some(request) = fit(requests::decompose(plan, llm, prompts), room) {
            return llm_step(decompose_key(), &request, Purpose::Ordinary, llm);
        }
    }
    let max = plan.config.max_sub_queries;
    let input = serde_json::json!({ "question": plan.question, "max": max });
    free(decompose_key(), executors::SPLIT_STEP, input, Purpose::Ordinary)
}

/// The next step of every open sub-query.
pub(super) fn sub_queries(state: &ResearchState, run: &RunState, open: &[usize]) -> Vec<Step> {
    let Some(all) = &state.sub_queries else {
        return Vec::new();
    };
    let not_started = open
        .iter()
        .filter(|id| !run.steps.contains_key(&answer_key(**id)))
        .count()
        .max(1) as u64;
    let room = run.ledger.available(Purpose::Ordinary);
    open.iter()
        .map(|id| {
            let share = Share {
                room,
                sharing: not_started,
            };
            let looked = run.is_done(&answer_key(*id));
            sub_query(state, *id, &all[*id], looked, &share)
        })
        .collect()
}

/// What is left for sub-queries, and how many want some of it.
struct Share {
    room: Charge,
    sharing: u64,
}

/// The next step of a sub-query; `looked` says that its sources were asked in vain.
fn sub_query(state: &ResearchState, id: usize, sub_query: &SubQuery, looked: bool, share: &Share) -> Step {
    let pack = state.sources.as_ref().map(|sources| sources.pack.as_str());
    match &state.plan.engine {
        ResearchEngine::Offline {} => extract(answer_key(id), pack, sub_query),
        ResearchEngine::Model { .. } if looked && has_fallback(&state.plan) => {
            extract(without_model_key(id), pack, sub_query)
        }
        ResearchEngine::Model { .. } if pack.is_some() && sub_query.passages.is_none() => {
            let limit = state.plan.config.max_passages;
            let input = serde_json::json!({ "pack": pack, "query": sub_query.text, "limit": limit });
            free(search_key(id), executors::SEARCH_STEP, input, Purpose::Ordinary)
        }
        ResearchEngine::Model { llm, prompts, web } => {
            let passages = sub_query.passages.as_deref().unwrap_or_default();
            if *web && (looked || passages.is_empty()) {
                let whole = requests::on_the_web(&sub_query.text, llm, prompts);
                let request = fit_shared(std::slice::from_ref(&whole), share);
                return llm_step(web_key(id), &request, Purpose::Ordinary, llm);
            }
            let request = fit_answer(&sub_query.text, passages, llm, prompts, share);
            llm_step(answer_key(id), &request, Purpose::Ordinary, llm)
        }
        ResearchEngine::Agent { llm } => {
            let request = requests::to_agent(&state.plan, llm);
            // Nobody can say beforehand what an agent uses; a budget that needs it was refused with the plan.
            let cost = Charge {
                turns: 1,
                ..Charge::ZERO
            };
            Step {
                cost,
                ..llm_step(answer_key(id), &request, Purpose::Ordinary, llm)
            }
        }
    }
}

/// Answers a sub-query by search only.
fn extract(key: StepKey, pack: Option<&str>, sub_query: &SubQuery) -> Step {
    let input = serde_json::json!({ "pack": pack, "query": sub_query.text, "parsed": sub_query.parsed });
    free(key, executors::EXTRACT_STEP, input, Purpose::Ordinary)
}

/// The largest answer request that fits an equal share of the room, or the whole room for the smallest one.
fn fit_answer(
    query: &str,
    passages: &[Passage],
    llm: &LlmConfig,
    prompts: &PromptSet,
    share: &Share,
) -> LlmRequest {
    let halves = std::iter::successors(Some(passages.len()), |n_passages| Some(n_passages / 2));
    let mut choices: Vec<LlmRequest> = halves
        .take_while(|n_passages| *n_passages > 0)
        .map(|n| requests::answer(query, &requests::sources_text(&passages[..n]), llm, prompts))
        .collect();
    choices.push(requests::answer(
        query,
        &requests::least_sources_text(passages),
        llm,
        prompts,
    ));
    fit_shared(&choices, share)
}

/// The first choice that fits an equal share, then larger shares.
fn fit_shared(choices: &[LlmRequest], share: &Share) -> LlmRequest {
    for n_sharing in (1..=share.sharing).rev() {
        let room = share_of(share.room, n_sharing);
        if let Some(request) = choices.iter().find_map(|request| fit(request.clone(), room)) {
            return request;
        }
    }
    // Fits nowhere: the driver refuses it and the sub-query fails for want of budget.
    smallest(choices.last().expect("there is a smallest choice").clone())
}

/// Fetches the pages that answers name and that were not fetched yet; none without a model, which opens no
/// connection.
pub(super) fn fetches(state: &ResearchState, run: &RunState) -> Vec<Step> {
    if let ResearchEngine::Offline { .. } = &state.plan.engine {
        return Vec::new();
    }
    let pages = state.cited_pages().into_iter();
    let pages = pages.filter(|(url, _)| !run.is_done(&fetch_key(url)));
    pages
        .map(|(url, claims)| Step {
            timeout_ms: Some(FETCH_MS),
            ..free(
                fetch_key(url),
                executors::FETCH_STEP,
                serde_json::json!({ "url": url, "claims": claims }),
                Purpose::Ordinary,
            )
        })
        .collect()
}

/// The step that writes the report.
pub(super) fn synthesis(state: &ResearchState, run: &RunState) -> Step {
    let compose = || {
        free(
            synthesis_key(),
            executors::COMPOSE_STEP,
            serde_json::json!({}),
            Purpose::Last,
        )
    };
    let ResearchEngine::Model { llm, prompts, .. } = &state.plan.engine else {
        return compose();
    };
    if state.is_answered_without_model() {
        return compose();
    }
    let room = run.ledger.available(Purpose::Last);
    let mut max_bytes = requests::MAX_FINDINGS_BYTES;
    while max_bytes >= 512 {
        if let Some(request) = fit(requests::synthesize(state, llm, prompts, max_bytes), room) {
            return llm_step(synthesis_key(), &request, Purpose::Last, llm);
        }
        max_bytes /= 2;
    }
    // Too dear in any size: the driver refuses it, which states the reason in the journal.
    let request = smallest(requests::synthesize(state, llm, prompts, 512));
    llm_step(synthesis_key(), &request, Purpose::Last, llm)
}

pub(super) fn search_id(state: &ResearchState, key: &StepKey) -> Option<usize> {
    match role_of(state, key) {
        Some(StepRole::Search(id)) => Some(id),
        Some(
            StepRole::Sources
            | StepRole::Decompose
            | StepRole::Answer(_)
            | StepRole::Web(_)
            | StepRole::WithoutModel(_)
            | StepRole::Fetch
            | StepRole::Synthesize,
        )
        | None => None,
    }
}

/// A step that costs nothing and is not tried again.
fn free(key: StepKey, kind: &str, input: serde_json::Value, purpose: Purpose) -> Step {
    Step {
        purpose,
        ..Step::free(key, kind, &input)
    }
}
