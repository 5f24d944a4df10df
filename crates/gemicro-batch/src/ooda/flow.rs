//! The OODA flow: connects the loop's state to the driver.

use gemicro_core::flow::{Decision, Flow, Step, StepEnd, read_plan};
use gemicro_core::llm::{LLM_STEP, LlmResponse};
use gemicro_core::run::RunState;
use gemicro_event::{AgentUpdate, ErrorKind, Event, Failure, Json, Timestamp};

use super::decide::decide;
use super::events::{OodaActed, OodaDecided, OodaObserved, OodaOriented};
use super::observation::{OBSERVE_STEP, Observation};
use super::state::OodaState;
use super::trial::{Mutations, Rejection, RejectionKind, TRIAL_STEP, Trial};
use crate::proposal::{MATERIAL_STEP, TestMaterialGathered, TestProposed};

/// Maximum number of gaps in an event.
const SHOWN_GAPS: usize = 10;

/// The flow that decides OODA loops.
#[derive(Debug, Clone, Copy, Default)]
pub struct OodaFlow;

impl Flow for OodaFlow {
    type State = OodaState;

    fn name(&self) -> &'static str {
        "ooda"
    }

    fn version(&self) -> u32 {
        1
    }

    fn start(&self, plan: &Json) -> Result<OodaState, Failure> {
        Ok(OodaState::new(read_plan(plan)?))
    }

    fn fold(&self, state: &mut OodaState, event: &Event) {
        state.fold(event);
    }

    fn decide(&self, state: &OodaState, run: &RunState) -> Decision {
        decide(state, run)
    }

    fn announce(&self, state: &OodaState, step: &Step, at: Timestamp) -> Vec<AgentUpdate> {
        if step.kind != MATERIAL_STEP {
            return Vec::new();
        }
        let Some(gap) = state.gap_of(step) else {
            return Vec::new();
        };
        let decided = OodaDecided {
            round: state.n_rounds + 1,
            by: state.plan.decider,
            gap,
        };
        vec![AgentUpdate::new(&decided, at)]
    }

    fn describe(&self, state: &OodaState, step: &Step, end: &StepEnd, at: Timestamp) -> Vec<AgentUpdate> {
        let done = match end {
            StepEnd::Completed(done) => &done.output,
            StepEnd::Failed(failure) => {
                return record_failed_gap(state, step, failure, at).into_iter().collect();
            }
        };
        match step.kind.as_str() {
            OBSERVE_STEP => done
                .parse()
                .map(|it| record_observation(1, it, at))
                .unwrap_or_default(),
            MATERIAL_STEP => {
                let material = done.parse().ok();
                let update =
                    material.map(|material| AgentUpdate::new(&TestMaterialGathered { material }, at));
                update.into_iter().collect()
            }
            LLM_STEP => {
                let response = done.parse::<LlmResponse>().ok();
                let proposed = response.map(|response| TestProposed {
                    round: state.n_rounds,
                    attempt: state.n_answers() + 1,
                    model: state.plan.llm.model.clone(),
                    answer: response.text,
                    usage: response.usage,
                });
                proposed.map(|it| AgentUpdate::new(&it, at)).into_iter().collect()
            }
            TRIAL_STEP => done
                .parse()
                .map(|it| record_trial(state, it, at))
                .unwrap_or_default(),
            _ => Vec::new(),
        }
    }
}

/// The events of a measurement.
fn record_observation(round: u32, observation: Observation, at: Timestamp) -> Vec<AgentUpdate> {
    let oriented = OodaOriented {
        round,
        n_gaps: observation.n_gaps,
        gaps: observation.gaps.iter().take(SHOWN_GAPS).cloned().collect(),
    };
    let observed = OodaObserved { round, observation };
    vec![AgentUpdate::new(&observed, at), AgentUpdate::new(&oriented, at)]
}

/// The events of a trial, and of the measurement in it.
fn record_trial(state: &OodaState, trial: Trial, at: Timestamp) -> Vec<AgentUpdate> {
    let Some(gap) = state.current_gap() else {
        return Vec::new();
    };
    let acted = OodaActed {
        round: state.n_rounds,
        attempt: state.n_answers(),
        gap,
        patch: trial.patch,
        files: trial.files,
        rejection: trial.rejection,
        newly_covered: trial.newly_covered,
        mutations: trial.mutations,
        landed: trial.landed,
    };
    let mut updates = vec![AgentUpdate::new(&acted, at)];
    if let Some(after) = trial.after {
        updates.extend(record_observation(state.n_rounds + 1, after, at));
    }
    updates
}

/// A gap for which no test could be obtained or tried. An exhausted budget says nothing about the gap.
fn record_failed_gap(
    state: &OodaState,
    step: &Step,
    failure: &Failure,
    at: Timestamp,
) -> Option<AgentUpdate> {
    if failure.kind == ErrorKind::BudgetExceeded {
        return None;
    }
    // Except for trials, the failed step belongs to an answer that does not exist yet.
    let n_missing = u32::from(step.kind != TRIAL_STEP);
    let acted = OodaActed {
        round: state.n_rounds,
        attempt: state.n_answers() + n_missing,
        gap: state.current_gap()?,
        patch: String::new(),
        files: Vec::new(),
        rejection: Some(Rejection {
            reason: RejectionKind::NoAnswer,
            message: failure.message.clone(),
            output: String::new(),
        }),
        newly_covered: 0,
        mutations: Mutations::default(),
        landed: None,
    };
    Some(AgentUpdate::new(&acted, at))
}
