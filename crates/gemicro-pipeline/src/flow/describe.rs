//! Turns the end of a step into events.

use gemicro_core::ask::AgentAnswer;
use gemicro_core::flow::{Step, StepEnd};
use gemicro_event::{AgentUpdate, Failure, Json, Payload as EventPayload, Timestamp};
use serde::de::DeserializeOwned;

use super::current_phase::{CurrentPhase, PhaseProgress};
use super::events::{
    BranchMerged, PhaseAnswered, PhaseChecked, PhaseImported, PhaseRecorded, PhaseStarted, PipelineDelivered,
    PipelinePrepared,
};
use super::fold::is_of_agent;
use super::project_memory::{memory, skills};
use super::state::PipelineState;
use super::todo::{Todo, todo};
use crate::payload::{AgentPayload, PayloadReading, ReadState, honesty, marks, read_with};
use crate::steps::{
    AGENT_WORK_STEP, AgentWork, CHECK_STEP, DELIVER_STEP, IMPORT_STEP, INIT_STEP, MERGE_STEP, RECORD_STEP,
};

/// Records the start of a phase, together with its first step.
pub(super) fn announce(state: &PipelineState, step: &Step, at: Timestamp) -> Vec<AgentUpdate> {
    let current = state.current.as_ref();
    let current =
        current.filter(|it| matches!(it.progress, PhaseProgress::Entered) && step.kind != INIT_STEP);
    let Some((current, phase)) = current.and_then(|it| Some((it, state.phase_of(it)?))) else {
        return Vec::new();
    };
    let role = state.role_of(phase);
    let work: Option<AgentWork> = step.input.parse().ok().filter(|_| step.kind == AGENT_WORK_STEP);
    let started = PhaseStarted {
        phase: phase.name.clone(),
        label: phase.label.clone(),
        role: role.map(|role| role.title.clone()),
        agent: work.as_ref().map(|work| work.task.agent),
        model: work.and_then(|work| work.task.model),
        round: current.round,
        memory: role
            .map(|role| {
                let notes = memory(state, current, (phase, role));
                [notes, skills(state, current, (phase, role))].concat()
            })
            .unwrap_or_default()
            .into_iter()
            .map(|entry| entry.id.clone())
            .collect(),
    };
    vec![AgentUpdate::new(&started, at)]
}

/// Records the result of a step, and the end of its phase if that follows.
pub(super) fn describe(state: &PipelineState, step: &Step, end: &StepEnd, at: Timestamp) -> Vec<AgentUpdate> {
    let Some(fact) = fact(state, step, end, at) else {
        return Vec::new();
    };
    let mut after = state.clone();
    after.apply(&fact);
    let mut facts = vec![fact];
    if after.failed.is_none()
        && let Some(Todo::End(ended)) = todo(&after)
    {
        facts.push(AgentUpdate::new(ended.as_ref(), at));
    }
    facts
}

fn fact(state: &PipelineState, step: &Step, end: &StepEnd, at: Timestamp) -> Option<AgentUpdate> {
    let output = match end {
        StepEnd::Completed(done) => &done.output,
        StepEnd::Failed(failure) => return describe_refusal(state, step, failure, at),
    };
    if step.kind == INIT_STEP {
        return describe_update(output, at, |prepared| PipelinePrepared {
            feature: state.plan.feature.to_string(),
            mode: state.plan.mode,
            prepared,
        });
    }
    let current = state.current.as_ref()?;
    let (phase, round) = (current.phase.clone(), current.round);
    match step.kind.as_str() {
        AGENT_WORK_STEP => describe_update(output, at, |answer| {
            describe_phase_answer(state, current, step, &answer)
        }),
        IMPORT_STEP => describe_update(output, at, |taken| PhaseImported {
            phase,
            round,
            taken: Some(taken),
            refused: None,
        }),
        CHECK_STEP => describe_update(output, at, |evidence| PhaseChecked {
            phase,
            round,
            evidence,
        }),
        RECORD_STEP => describe_update(output, at, |recorded| PhaseRecorded {
            phase,
            round,
            recorded,
        }),
        MERGE_STEP => describe_update(output, at, |merged| BranchMerged { phase, round, merged }),
        DELIVER_STEP => describe_update(output, at, |delivered| PipelineDelivered {
            phase,
            round,
            delivered,
        }),
        _ => None,
    }
}

fn describe_update<T: DeserializeOwned, P: EventPayload>(
    output: &Json,
    at: Timestamp,
    fact: impl FnOnce(T) -> P,
) -> Option<AgentUpdate> {
    Some(AgentUpdate::new(&fact(output.parse().ok()?), at))
}

/// Records that an agent's changes were refused. This is the agent's fault, so its phase is entered again.
fn describe_refusal(
    state: &PipelineState,
    step: &Step,
    failure: &Failure,
    at: Timestamp,
) -> Option<AgentUpdate> {
    let current = state.current.as_ref()?;
    if step.kind != IMPORT_STEP || !is_of_agent(failure.kind) {
        return None;
    }
    let imported = PhaseImported {
        phase: current.phase.clone(),
        round: current.round,
        taken: None,
        refused: Some(failure.message.clone()),
    };
    Some(AgentUpdate::new(&imported, at))
}

fn describe_phase_answer(
    state: &PipelineState,
    current: &CurrentPhase,
    step: &Step,
    answer: &AgentAnswer,
) -> PhaseAnswered {
    let phase = state.phase_of(current);
    let role = phase.and_then(|phase| state.role_of(phase));
    let reading = match role {
        Some(role) => {
            let nonce = state.plan.nonce(step.key.as_str());
            read_with(&answer.text, &answer.submitted, role.shape, &nonce)
        }
        None => PayloadReading {
            state: ReadState::Missing,
            payload: None,
            tagged: false,
            misfit: None,
        },
    };
    let refused = why_not(&reading);
    let dishonest = reading.payload.as_ref().and_then(honest);
    PhaseAnswered {
        phase: current.phase.clone(),
        round: current.round,
        ask: current.n_answers() + 1,
        role: role.map_or_else(|| current.phase.clone(), |role| role.title.clone()),
        state: reading.state,
        tagged: reading.tagged,
        payload: reading.payload,
        refused,
        dishonest,
        session: answer.session.clone(),
        denials: answer.denials.iter().map(ToString::to_string).collect(),
    }
}

fn honest(payload: &AgentPayload) -> Option<String> {
    honesty(payload).map(|why| {
        format!(
            "a success contradicts what the feedback reports ({why}): fix the problem, or report a failure"
        )
    })
}

/// Explains to the agent why it is asked again.
fn why_not(reading: &PayloadReading) -> Option<String> {
    let why = match reading.state {
        ReadState::Ok => {
            let marks = marks(reading);
            if marks.gate {
                "the verdict was not in the tagged block, and only a tagged APPROVE or PASS counts"
            } else if marks.path {
                "the path in it is not a file below docs/dev_docs/"
            } else {
                return None;
            }
        }
        ReadState::Missing => "it had no tagged block with the result",
        ReadState::Unparsed => "the tagged block is not one JSON object",
        ReadState::SchemaMismatch => {
            let misfit = reading.misfit.as_deref().unwrap_or("it has the wrong shape");
            return Some(format!("the object in the tagged block cannot be used: {misfit}"));
        }
        ReadState::Ambiguous => "it had two results that differ",
    };
    Some(why.to_owned())
}
