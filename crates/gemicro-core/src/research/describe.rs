//! The facts a research run states when its steps start and end.

use gemicro_event::text::{first_bytes, one_line};
use gemicro_event::{AgentUpdate, ErrorKind, Failure, Timestamp};

use super::events::{
    DecompositionComplete, DecompositionStarted, SourceFetched, SourceNotFetched, SourcesRead,
    SubQueryCompleted, SubQueryFailed, SubQueryStarted, SynthesisStarted,
};
use super::extracted::extracted_answer;
use super::flow::ResearchState;
use super::markers::{names_link, without_unknown_links};
use super::steps::{self, StepRole};
use super::{RelatedPassage, ResearchEngine, ResearchPlan, UseAs, answers, requests, web};
use crate::corpus::Passage;
use crate::flow::{Step, StepEnd, StepOutput};
use crate::llm::{LlmResponse, json_in};

/// What `prompts/research/web.md` tells a model to say when a search finds nothing.
const NO_ANSWER: &str = "NO ANSWER FOUND";
/// Why a sub-query was answered without the model.
const NO_QUOTE: &str = "its answer had no verified quote";

/// Facts stated when a step starts for the first time.
pub(super) fn announce(state: &ResearchState, step: &Step, at: Timestamp) -> Vec<AgentUpdate> {
    let started = |id: usize| {
        let query = state
            .sub_queries
            .iter()
            .flatten()
            .nth(id)
            .map_or_else(String::new, |it| it.text.clone());
        vec![AgentUpdate::new(&SubQueryStarted { id, query }, at)]
    };
    match steps::role_of(state, &step.key) {
        Some(StepRole::Decompose) => vec![AgentUpdate::new(&DecompositionStarted {}, at)],
        Some(role @ (StepRole::Search(id) | StepRole::Answer(id) | StepRole::Web(id)))
            if role == steps::first_role(&state.plan, id) =>
        {
            started(id)
        }
        Some(StepRole::Synthesize) => vec![AgentUpdate::new(&SynthesisStarted {}, at)],
        Some(
            StepRole::Sources
            | StepRole::Search(_)
            | StepRole::Answer(_)
            | StepRole::Web(_)
            | StepRole::WithoutModel(_)
            | StepRole::Fetch,
        )
        | None => Vec::new(),
    }
}

/// Facts stated when a step ends.
pub(super) fn describe(state: &ResearchState, step: &Step, end: &StepEnd, at: Timestamp) -> Vec<AgentUpdate> {
    match (steps::role_of(state, &step.key), end) {
        (Some(StepRole::Sources), StepEnd::Completed(output)) => match output.output.parse::<SourcesRead>() {
            Ok(read) => vec![AgentUpdate::new(&read, at)],
            Err(_) => Vec::new(),
        },
        (Some(StepRole::Decompose), end) => match state.plan.given_sub_queries() {
            Some(given) => carried_over(state, given, at),
            None => decomposition(state, end)
                .map(|complete| vec![AgentUpdate::new(&complete, at)])
                .unwrap_or_default(),
        },
        (Some(StepRole::Answer(id)), StepEnd::Completed(output)) => {
            match describe_answer(state, id, output) {
                Ok(completed) => vec![AgentUpdate::new(&completed, at)],
                // The web is asked next.
                Err(failure)
                    if failure.kind == ErrorKind::NoEvidence && steps::may_search_web(&state.plan) =>
                {
                    Vec::new()
                }
                // So is the search without a model, unless the model says that the sources hold no answer.
                Err(failure) if has_fallback(state, failure.kind) && !answers::finds_nothing(output) => {
                    Vec::new()
                }
                Err(failure) => vec![describe_failure(id, &failure, at)],
            }
        }
        (Some(StepRole::Answer(_)), StepEnd::Failed(failure)) if has_fallback(state, failure.kind) => {
            Vec::new()
        }
        (Some(StepRole::WithoutModel(id)), StepEnd::Completed(output)) => {
            let found = extracted_answer(id, output).map(|completed| SubQueryCompleted {
                without_model: Some(NO_QUOTE.to_owned()),
                ..completed
            });
            match found {
                Ok(completed) => vec![AgentUpdate::new(&completed, at)],
                Err(failure) => {
                    let message = format!(
                        "the model's answer had no verified quote, and answering without the model failed: {}",
                        failure.message
                    );
                    vec![describe_failure(id, &Failure { message, ..failure }, at)]
                }
            }
        }
        (Some(StepRole::Web(id)), StepEnd::Completed(output)) => {
            let found = output.output.parse().map_err(|error| unreadable(&error));
            match found.and_then(|response| on_the_web(id, &response)) {
                Ok(completed) => vec![AgentUpdate::new(&completed, at)],
                Err(failure) => vec![describe_failure(id, &failure, at)],
            }
        }
        (
            Some(
                StepRole::Search(id) | StepRole::Answer(id) | StepRole::Web(id) | StepRole::WithoutModel(id),
            ),
            StepEnd::Failed(failure),
        ) => vec![describe_failure(id, failure, at)],
        (Some(StepRole::Fetch), end) => vec![describe_fetch(step, end, at)],
        (Some(StepRole::Search(id)), StepEnd::Completed(output)) => {
            match output.output.parse::<Vec<Passage>>() {
                Ok(passages) if passages.is_empty() && !steps::may_search_web(&state.plan) => {
                    let nothing =
                        Failure::new(ErrorKind::NoEvidence, "no passage in the sources mentions it");
                    vec![describe_failure(id, &nothing, at)]
                }
                Ok(_) => Vec::new(),
                Err(error) => {
                    let message = format!("the passages cannot be read: {error}");
                    vec![describe_failure(
                        id,
                        &Failure::new(ErrorKind::Internal, message),
                        at,
                    )]
                }
            }
        }
        (Some(StepRole::Sources), StepEnd::Failed(_)) | (Some(StepRole::Synthesize) | None, _) => Vec::new(),
    }
}

/// Whether a sub-query is answered without the model next: its answer cannot be used, but the call did not fail.
fn has_fallback(state: &ResearchState, kind: ErrorKind) -> bool {
    let is_of_model = matches!(
        kind,
        ErrorKind::NoEvidence
            | ErrorKind::MalformedOutput
            | ErrorKind::TruncatedOutput
            | ErrorKind::EmptyResult
    );
    is_of_model && steps::has_fallback(&state.plan)
}

fn describe_failure(id: usize, failure: &Failure, at: Timestamp) -> AgentUpdate {
    let fact = SubQueryFailed {
        id,
        error: failure.message.clone(),
        error_kind: failure.kind,
        related: RelatedPassage::of_failure(failure),
    };
    AgentUpdate::new(&fact, at)
}

/// The sub-queries, from the model, from the splitter, or the question itself where neither could.
fn decomposition(state: &ResearchState, end: &StepEnd) -> Option<DecompositionComplete> {
    let whole = |note: String| DecompositionComplete {
        sub_queries: vec![state.plan.question.trim().to_owned()],
        note: Some(note),
    };
    match end {
        StepEnd::Completed(output) => {
            let sub_queries = sub_queries_in(output, &state.plan);
            Some(if sub_queries.is_empty() {
                whole("the model gave no sub-queries".to_owned())
            } else {
                DecompositionComplete {
                    sub_queries,
                    note: None,
                }
            })
        }
        StepEnd::Failed(failure) if steps::ends_run(&steps::decompose_key(), failure.kind) => None,
        StepEnd::Failed(failure) => Some(whole(failure.message.clone())),
    }
}

fn sub_queries_in(output: &StepOutput, plan: &ResearchPlan) -> Vec<String> {
    let from_model = || {
        output
            .output
            .parse::<LlmResponse>()
            .ok()
            .and_then(|response| json_in(&response.text))
    };
    let listed = match output.output.get("parsed") {
        Some(_) => output.output.get("sub_queries").cloned(),
        None => {
            from_model().and_then(|json| json.get("sub_queries").cloned().or_else(|| Some((*json).clone())))
        }
    };
    let texts: Vec<String> = listed
        .and_then(|listed| serde_json::from_value(listed).ok())
        .unwrap_or_default();
    let longest = match plan.engine {
        ResearchEngine::Model { .. } => requests::longest_sub_query(plan),
        ResearchEngine::Offline { .. } | ResearchEngine::Agent { .. } => usize::MAX,
    };
    // A plan names no place that the person did not name.
    let known = plan.base.as_ref().map_or_else(String::new, super::Base::context);
    let is_known = |link: &str| names_link(&plan.question, link) || names_link(&known, link);
    let texts = texts.iter().map(|text| {
        let text = without_unknown_links(text, is_known);
        first_bytes(&one_line(&text), longest).trim().to_owned()
    });
    let texts = texts.filter(|text| text.contains(char::is_alphanumeric));
    let texts: Vec<String> = texts.take(plan.config.max_sub_queries).collect();
    match texts.as_slice() {
        // Other words for the same question find other passages, and not better ones.
        [_] if plan.base.is_none() => vec![plan.question.trim().to_owned()],
        _ => texts,
    }
}

/// The sub-queries that are known from the start, and the answers that an earlier run brings along.
fn carried_over(state: &ResearchState, sub_queries: Vec<String>, at: Timestamp) -> Vec<AgentUpdate> {
    let base = state.plan.base.as_ref();
    let note = match (&state.plan.engine, base.map(|base| &base.use_as)) {
        (_, Some(UseAs::Retry)) => Some("copied from the earlier run".to_owned()),
        (ResearchEngine::Agent { .. }, _) => Some("the provider's agent plans by itself".to_owned()),
        (ResearchEngine::Model { .. } | ResearchEngine::Offline { .. }, _) => None,
    };
    let mut facts = vec![AgentUpdate::new(&DecompositionComplete { sub_queries, note }, at)];
    if let Some(base) = base.filter(|base| base.use_as == UseAs::Retry) {
        for (id, part) in base.parts.iter().enumerate() {
            if let Some(completed) = &part.completed {
                facts.push(AgentUpdate::new(
                    &SubQueryCompleted {
                        id,
                        ..completed.clone()
                    },
                    at,
                ));
            } else if part.no_evidence {
                let nothing = Failure::new(ErrorKind::NoEvidence, "the earlier run found nothing about it");
                facts.push(describe_failure(id, &nothing, at));
            }
        }
    }
    facts
}

/// An answer with its verified citations, or why there is none.
fn describe_answer(
    state: &ResearchState,
    id: usize,
    output: &StepOutput,
) -> Result<SubQueryCompleted, Failure> {
    if let ResearchEngine::Agent { .. } = state.plan.engine {
        return on_the_web(id, &output.output.parse().map_err(|error| unreadable(&error))?);
    }
    let sub_query = state.sub_queries.iter().flatten().nth(id);
    let query = sub_query.map_or("", |it| it.text.as_str());
    let passages = sub_query
        .and_then(|it| it.passages.as_deref())
        .unwrap_or_default();
    match output.output.parse::<LlmResponse>() {
        Ok(response) => {
            answers::verified_answer(&response, query, passages).map(|answer| SubQueryCompleted {
                id,
                result: answer.text,
                tokens_used: response.usage.total_tokens(),
                citations: answer.citations,
                contradictions: answer.contradictions,
                n_removed: answer.n_removed,
                n_replaced: answer.n_replaced,
                related: Vec::new(),
                without_model: None,
            })
        }
        Err(_) => extracted_answer(id, output),
    }
}

/// What the provider found on the web, with the pages it names.
fn on_the_web(id: usize, response: &LlmResponse) -> Result<SubQueryCompleted, Failure> {
    let answer = web::number_citations(response);
    let said = one_line(&answer.text);
    let is_nothing = said
        .trim_matches(['.', '*', '_', '"'])
        .eq_ignore_ascii_case(NO_ANSWER);
    if is_nothing && answer.citations.is_empty() {
        let message = "the web search found no answer";
        return Err(Failure::new(ErrorKind::NoEvidence, message));
    }
    Ok(SubQueryCompleted {
        id,
        result: answer.text,
        tokens_used: response.usage.total_tokens(),
        citations: answer.citations,
        contradictions: Vec::new(),
        n_removed: 0,
        n_replaced: 0,
        related: Vec::new(),
        without_model: None,
    })
}

fn describe_fetch(step: &Step, end: &StepEnd, at: Timestamp) -> AgentUpdate {
    let failure = match end {
        StepEnd::Completed(output) => match output.output.parse::<SourceFetched>() {
            Ok(page) => return AgentUpdate::new(&page, at),
            Err(error) => match output.output.parse::<SourceNotFetched>() {
                Ok(refused) => return AgentUpdate::new(&refused, at),
                Err(_) => unreadable(&error),
            },
        },
        StepEnd::Failed(failure) => failure.clone(),
    };
    let url = step.input.get("url").and_then(serde_json::Value::as_str);
    let fact = SourceNotFetched {
        url: url.unwrap_or_default().to_owned(),
        error: failure.message,
        error_kind: failure.kind,
    };
    AgentUpdate::new(&fact, at)
}

pub(super) fn unreadable(error: &impl std::fmt::Display) -> Failure {
    Failure::new(ErrorKind::Internal, format!("the answer cannot be read: {error}"))
}
