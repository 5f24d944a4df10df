//! The steps of a research run: what each does and what it may cost.

use gemicro_event::{Charge, ErrorKind, Json, StepKey};

use super::fit::{fit, share_of, smaller, smallest};
use super::flow::{ResearchState, SubQuery};
use super::prompts::fill;
use super::{PromptSet, ResearchEngine, ResearchPlan, executors, report};
use crate::budget::Purpose;
use crate::corpus::Passage;
use crate::flow::{RetryPolicy, Step};
use crate::llm::{Delivery, LlmConfig, LlmRequest, llm_step, worst_case};
use crate::offline::Techniques;
use crate::run::RunState;

/// Bytes of findings shown to the model that writes the report, at most.
const MAX_FINDINGS_BYTES: usize = 24 * 1024;
/// Bytes of a model's sub-query, at most, unless the question itself is longer: the least cost of one is known.
const LONGEST_SUB_QUERY: usize = 400;
/// Bytes of sources that the cheapest answer sees.
const LEAST_SOURCE_BYTES: usize = 1_536;

/// What a step is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Sources,
    Decompose,
    Search(usize),
    Answer(usize),
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

fn answer_key(id: usize) -> StepKey {
    StepKey::new(format!("sub-query {}", id + 1))
}

/// What the step with this key is for; keys are compared, never taken apart.
pub(super) fn role_of(state: &ResearchState, key: &StepKey) -> Option<Role> {
    let fixed = [
        (sources_key(), Role::Sources),
        (decompose_key(), Role::Decompose),
        (synthesis_key(), Role::Synthesize),
    ];
    let n_sub_queries = state.sub_queries.as_ref().map_or(0, Vec::len);
    let numbered = (0..n_sub_queries).flat_map(|id| {
        [
            (search_key(id), Role::Search(id)),
            (answer_key(id), Role::Answer(id)),
        ]
    });
    fixed
        .into_iter()
        .chain(numbered)
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

/// Whether sub-queries look for passages before the model answers.
pub(super) fn searches_first(state: &ResearchState) -> bool {
    matches!(state.plan.engine, ResearchEngine::Model { .. }) && !state.plan.sources.is_empty()
}

pub(super) fn sources(plan: &ResearchPlan) -> Step {
    free(
        sources_key(),
        executors::SOURCES_STEP,
        serde_json::json!({ "paths": plan.sources }),
        Purpose::Ordinary,
    )
}

/// Splits the question: by the model where it can be paid, by rules otherwise.
pub(super) fn decompose(state: &ResearchState, run: &RunState) -> Step {
    let plan = &state.plan;
    if let ResearchEngine::Model { llm, prompts } = &plan.engine {
        let room = run.ledger.available(Purpose::Ordinary);
        // A quarter at most, and never what the one answer needs that makes a report possible.
        let room = smaller(share_of(room, 4), room.minus(plan.minimum()));
        if let Some(request) = fit(decompose_request(plan, llm, prompts), room) {
            return llm_step(decompose_key(), &request, Purpose::Ordinary, llm);
        }
    }
    let techniques = match &plan.engine {
        ResearchEngine::Offline { techniques } => *techniques,
        ResearchEngine::Model { .. } => Techniques::default(),
    };
    let max = plan.config.max_sub_queries;
    let input = serde_json::json!({ "question": plan.question, "max": max, "techniques": techniques });
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
        .map(|id| sub_query(state, *id, &all[*id], room, not_started))
        .collect()
}

fn sub_query(state: &ResearchState, id: usize, sub_query: &SubQuery, room: Charge, sharing: u64) -> Step {
    let pack = state.sources.as_ref().map(|sources| sources.pack.as_str());
    match &state.plan.engine {
        ResearchEngine::Offline { techniques } => {
            let input = serde_json::json!({
                "pack": pack,
                "query": sub_query.text,
                "parsed": sub_query.parsed,
                "techniques": techniques,
            });
            free(answer_key(id), executors::EXTRACT_STEP, input, Purpose::Ordinary)
        }
        ResearchEngine::Model { .. } if pack.is_some() && sub_query.passages.is_none() => {
            let limit = state.plan.config.max_passages;
            let input = serde_json::json!({ "pack": pack, "query": sub_query.text, "limit": limit });
            free(search_key(id), executors::SEARCH_STEP, input, Purpose::Ordinary)
        }
        ResearchEngine::Model { llm, prompts } => {
            let passages = sub_query.passages.as_deref().unwrap_or_default();
            let request = fit_answer(&sub_query.text, passages, llm, prompts, room, sharing);
            llm_step(answer_key(id), &request, Purpose::Ordinary, llm)
        }
    }
}

/// The largest answer request that fits an equal share of the room, or the whole room for the smallest one.
fn fit_answer(
    query: &str,
    passages: &[Passage],
    llm: &LlmConfig,
    prompts: &PromptSet,
    room: Charge,
    sharing: u64,
) -> LlmRequest {
    let halves = std::iter::successors(Some(passages.len()), |n_passages| Some(n_passages / 2));
    let mut choices: Vec<String> = halves
        .take_while(|n_passages| *n_passages > 0)
        .map(|n| sources_text(&passages[..n]))
        .collect();
    let least = least_sources_text(passages);
    choices.push(least.clone());
    for n_sharing in (1..=sharing).rev() {
        let share = share_of(room, n_sharing);
        let requests = choices
            .iter()
            .map(|sources| answer_request(query, sources, llm, prompts));
        if let Some(request) = requests.filter_map(|request| fit(request, share)).next() {
            return request;
        }
    }
    // Fits nowhere: the driver refuses it and the sub-query fails for want of budget.
    smallest(answer_request(query, &least, llm, prompts))
}

/// The step that writes the report.
pub(super) fn synthesis(state: &ResearchState, run: &RunState) -> Step {
    let ResearchEngine::Model { llm, prompts } = &state.plan.engine else {
        return free(
            synthesis_key(),
            executors::COMPOSE_STEP,
            serde_json::json!({}),
            Purpose::Last,
        );
    };
    let room = run.ledger.available(Purpose::Last);
    let mut max_bytes = MAX_FINDINGS_BYTES;
    while max_bytes >= 512 {
        if let Some(request) = fit(synthesis_request(state, llm, prompts, max_bytes), room) {
            return llm_step(synthesis_key(), &request, Purpose::Last, llm);
        }
        max_bytes /= 2;
    }
    // Too dear in any size: the driver refuses it, which states the reason in the journal.
    let request = smallest(synthesis_request(state, llm, prompts, 512));
    llm_step(synthesis_key(), &request, Purpose::Last, llm)
}

/// The most the report can cost.
pub(super) fn synthesis_worst_case(plan: &ResearchPlan) -> Charge {
    let ResearchEngine::Model { llm, prompts } = &plan.engine else {
        return Charge::ZERO;
    };
    let findings = " ".repeat(MAX_FINDINGS_BYTES);
    let prompt = fill(
        &prompts.synthesize,
        &[("question", plan.question.trim()), ("findings", &findings)],
    );
    worst_case(&request("synthesize", prompt, llm, prompts))
}

/// How long a sub-query of a model may be, in bytes.
pub(super) fn longest_sub_query(plan: &ResearchPlan) -> usize {
    plan.question.trim().len().max(LONGEST_SUB_QUERY)
}

/// The least that allows one answer, whatever its sub-query and the first passage say.
pub(super) fn minimum_answer_cost(plan: &ResearchPlan) -> Charge {
    let ResearchEngine::Model { llm, prompts } = &plan.engine else {
        return Charge::ZERO;
    };
    let sources = if plan.sources.is_empty() {
        0
    } else {
        LEAST_SOURCE_BYTES
    };
    let (query, sources) = (" ".repeat(longest_sub_query(plan)), " ".repeat(sources));
    worst_case(&smallest(answer_request(&query, &sources, llm, prompts)))
}

pub(super) fn search_id(state: &ResearchState, key: &StepKey) -> Option<usize> {
    match role_of(state, key) {
        Some(Role::Search(id)) => Some(id),
        Some(Role::Sources | Role::Decompose | Role::Answer(_) | Role::Synthesize) | None => None,
    }
}

fn decompose_request(plan: &ResearchPlan, llm: &LlmConfig, prompts: &PromptSet) -> LlmRequest {
    let max = plan.config.max_sub_queries.to_string();
    let prompt = fill(
        &prompts.decompose,
        &[("question", plan.question.trim()), ("max", &max)],
    );
    let schema = serde_json::json!({
        "type": "object",
        "properties": { "sub_queries": { "type": "array", "items": { "type": "string" } } },
        "required": ["sub_queries"],
    });
    LlmRequest {
        schema: Some(Json::from(schema)),
        ..request("decompose", prompt, llm, prompts)
    }
}

fn answer_request(query: &str, sources: &str, llm: &LlmConfig, prompts: &PromptSet) -> LlmRequest {
    let prompt = fill(&prompts.answer, &[("question", query), ("sources", sources)]);
    let schema = serde_json::json!({
        "type": "object",
        "properties": {
            "answer": { "type": "string" },
            "citations": { "type": "array", "items": {
                "type": "object",
                "properties": { "source": { "type": "integer" }, "quote": { "type": "string" } },
                "required": ["source", "quote"],
            } },
        },
        "required": ["answer", "citations"],
    });
    LlmRequest {
        schema: Some(Json::from(schema)),
        ..request("answer", prompt, llm, prompts)
    }
}

fn sources_text(passages: &[Passage]) -> String {
    let numbered = passages.iter().enumerate();
    numbered
        .map(|(idx, passage)| source_text(idx + 1, &passage.doc, &passage.text))
        .collect()
}

/// The best passage alone, cut to `LEAST_SOURCE_BYTES`.
fn least_sources_text(passages: &[Passage]) -> String {
    let best = passages.first();
    best.map_or_else(String::new, |it| {
        source_text(1, report::cut(&it.doc, 200), report::cut(&it.text, 1_000))
    })
}

/// One source between its tags; a text cannot close them.
fn source_text(number: usize, doc: &str, text: &str) -> String {
    let text = text
        .replace("<source", "< source")
        .replace("</source", "< /source");
    format!("\n<source>\n[{number}] {doc}\n{text}\n</source>\n")
}

fn synthesis_request(
    state: &ResearchState,
    llm: &LlmConfig,
    prompts: &PromptSet,
    max_bytes: usize,
) -> LlmRequest {
    let findings = report::findings_text(state, max_bytes);
    let values = [
        ("question", state.plan.question.trim()),
        ("findings", findings.as_str()),
    ];
    request("synthesize", fill(&prompts.synthesize, &values), llm, prompts)
}

fn request(label: &str, prompt: String, llm: &LlmConfig, prompts: &PromptSet) -> LlmRequest {
    LlmRequest {
        label: label.to_owned(),
        backend: llm.backend.clone(),
        model: llm.model.clone(),
        system: Some(prompts.system.clone()),
        prompt,
        schema: None,
        tools: Vec::new(),
        delivery: Delivery::Streamed,
        max_output_tokens: llm.max_output_tokens,
        temperature: llm.temperature,
        time: llm.time(),
    }
}

/// A step that costs nothing and is not tried again.
fn free(key: StepKey, kind: &str, input: serde_json::Value, purpose: Purpose) -> Step {
    Step {
        key,
        kind: kind.to_owned(),
        input: Json::from(input),
        cost: Charge::ZERO,
        purpose,
        retry: RetryPolicy::NEVER,
        timeout_ms: None,
    }
}
