//! The facts a research run states when its steps start and end.

use gemicro_event::{AgentUpdate, ErrorKind, Failure, Timestamp};

use super::events::{
    DecompositionComplete, DecompositionStarted, SourcesRead, SubQueryCompleted, SubQueryFailed,
    SubQueryStarted, SynthesisStarted,
};
use super::flow::ResearchState;
use super::steps::{self, Role};
use super::{Citation, Contradiction, Grade, ResearchEngine, ResearchPlan, Side, report};
use crate::corpus::Passage;
use crate::flow::{Step, StepEnd, StepOutput};
use crate::llm::{LlmResponse, json_in};
use crate::offline::{Finding, SubAnswer};

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
        Some(Role::Decompose) => vec![AgentUpdate::new(&DecompositionStarted {}, at)],
        Some(Role::Search(id)) => started(id),
        Some(Role::Answer(id)) if !steps::searches_first(state) => started(id),
        Some(Role::Synthesize) => vec![AgentUpdate::new(&SynthesisStarted {}, at)],
        Some(Role::Sources | Role::Answer(_)) | None => Vec::new(),
    }
}

/// Facts stated when a step ends.
pub(super) fn describe(state: &ResearchState, step: &Step, end: &StepEnd, at: Timestamp) -> Vec<AgentUpdate> {
    match (steps::role_of(state, &step.key), end) {
        (Some(Role::Sources), StepEnd::Completed(output)) => match output.output.parse::<SourcesRead>() {
            Ok(read) => vec![AgentUpdate::new(&read, at)],
            Err(_) => Vec::new(),
        },
        (Some(Role::Decompose), end) => decomposition(state, end)
            .map(|complete| vec![AgentUpdate::new(&complete, at)])
            .unwrap_or_default(),
        (Some(Role::Answer(id)), StepEnd::Completed(output)) => {
            let sub_query = state.sub_queries.iter().flatten().nth(id);
            let passages = sub_query
                .and_then(|it| it.passages.as_deref())
                .unwrap_or_default();
            vec![answered(id, passages, output, at)]
        }
        (Some(Role::Search(id) | Role::Answer(id)), StepEnd::Failed(failure)) => {
            vec![failed(id, failure, at)]
        }
        (Some(Role::Search(id)), StepEnd::Completed(output)) => match output.output.parse::<Vec<Passage>>() {
            Ok(passages) if passages.is_empty() => {
                let nothing = Failure::new(ErrorKind::NoEvidence, "no passage of the sources speaks of it");
                vec![failed(id, &nothing, at)]
            }
            Ok(_) => Vec::new(),
            Err(error) => {
                let message = format!("the passages cannot be read: {error}");
                vec![failed(id, &Failure::new(ErrorKind::Internal, message), at)]
            }
        },
        (Some(Role::Sources), StepEnd::Failed(_)) | (Some(Role::Synthesize) | None, _) => Vec::new(),
    }
}

fn failed(id: usize, failure: &Failure, at: Timestamp) -> AgentUpdate {
    let fact = SubQueryFailed {
        id,
        error: failure.message.clone(),
        error_kind: failure.kind,
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
        ResearchEngine::Model { .. } => steps::longest_sub_query(plan),
        ResearchEngine::Offline { .. } => usize::MAX,
    };
    let texts = texts
        .iter()
        .map(|text| report::cut(text.trim(), longest).trim().to_owned());
    let texts = texts.filter(|text| text.contains(char::is_alphanumeric));
    texts.take(plan.config.max_sub_queries).collect()
}

/// An answer with its verified citations, or why there is none.
fn answered(id: usize, passages: &[Passage], output: &StepOutput, at: Timestamp) -> AgentUpdate {
    let described = match output.output.parse::<LlmResponse>() {
        Ok(response) => report::verified_answer(&response, passages).map(|answer| SubQueryCompleted {
            id,
            result: answer.text,
            tokens_used: response.usage.total_tokens(),
            citations: answer.citations,
            contradictions: Vec::new(),
            n_removed: answer.n_removed,
        }),
        Err(_) => match output.output.parse::<SubAnswer>() {
            Ok(SubAnswer::Found {
                findings,
                contradictions,
            }) => Ok(extracted(id, &findings, contradictions)),
            Ok(SubAnswer::NoEvidence { reason, .. }) => Err(Failure::new(ErrorKind::NoEvidence, reason)),
            Err(error) => Err(Failure::new(
                ErrorKind::Internal,
                format!("the answer cannot be read: {error}"),
            )),
        },
    };
    match described {
        Ok(completed) => AgentUpdate::new(&completed, at),
        Err(failure) => failed(id, &failure, at),
    }
}

fn extracted(
    id: usize,
    findings: &[Finding],
    contradictions: Vec<crate::offline::Contradiction>,
) -> SubQueryCompleted {
    let found = findings.iter().map(|finding| Citation {
        number: 0,
        doc: finding.doc.clone(),
        span: finding.span.clone(),
        range: finding.range.clone(),
        title: finding.title.clone(),
        date: finding.date.clone(),
        grade: Grade::Verified,
    });
    // Both sides of a contradiction are cited, not only the one that answers best.
    let disputed = contradictions
        .iter()
        .flat_map(|contradiction| &contradiction.sides)
        .map(|side| Citation {
            number: 0,
            doc: side.doc.clone(),
            span: side.span.clone(),
            range: side.range.clone(),
            title: side.doc.clone(),
            date: side.date.clone(),
            grade: Grade::Verified,
        });
    let mut citations: Vec<Citation> = Vec::new();
    for citation in found.chain(disputed) {
        if !citations
            .iter()
            .any(|known| known.doc == citation.doc && known.range == citation.range)
        {
            citations.push(Citation {
                number: citations.len() + 1,
                ..citation
            });
        }
    }
    let sentences = citations.iter().map(|citation| {
        let words: Vec<&str> = citation.span.split_whitespace().collect();
        format!("{} [{}]", words.join(" "), citation.number)
    });
    SubQueryCompleted {
        id,
        result: sentences.collect::<Vec<_>>().join(" "),
        tokens_used: 0,
        citations,
        contradictions: contradictions.into_iter().map(sides).collect(),
        n_removed: 0,
    }
}

fn sides(contradiction: crate::offline::Contradiction) -> Contradiction {
    let sides = contradiction.sides.into_iter();
    Contradiction {
        sides: sides
            .map(|side| Side {
                doc: side.doc,
                span: side.span,
                value: side.value,
                date: side.date,
            })
            .collect(),
    }
}
