//! The flow of one question to a model.

use gemicro_event::{
    AgentUpdate, Charge, ErrorKind, Event, Failure, Json, StepKey, StreamId, Timestamp, event_enum,
};
use serde::{Deserialize, Serialize};

use super::events::ModelAnswered;
use crate::budget::Purpose;
use crate::flow::{Decision, Flow, Outcome, Step, StepEnd, read_plan};
use crate::llm::{LlmConfig, LlmRequest, LlmResponse, llm_step, worst_case};
use crate::research::events::ResultMetadata;
use crate::run::RunState;
use crate::run::events::{StepFailed, StepRetrying};

/// The step that goes on from an earlier call.
const NATIVE_STEP: &str = "native";
/// The step that tells everything.
const WHOLE_STEP: &str = "whole";

event_enum! {
    /// What a run of one question reads of its journal.
    enum PromptEvent {
        read: ModelAnswered, StepRetrying, StepFailed;
    }
}

/// Everything that deciding depends on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelTask {
    /// What the run is called in lists.
    pub title: String,
    /// How the model is called.
    pub llm: LlmConfig,
    /// What it is for; never sent.
    pub label: String,
    /// What the model or agent is asked.
    pub prompt: String,
    /// An earlier call that it goes on from while the provider has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<Earlier>,
    /// The conversation that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<StreamId>,
    /// What was changed while the request became a plan.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// An earlier call, and what is new since then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Earlier {
    /// The provider's name for it.
    pub interaction: String,
    /// What is said now.
    pub message: String,
}

impl ModelTask {
    /// The call that tells everything.
    #[must_use]
    pub fn whole(&self) -> LlmRequest {
        LlmRequest::new(&self.label, self.prompt.clone(), &self.llm)
    }

    /// The most that the call can cost.
    #[must_use]
    pub fn worst_case(&self) -> Charge {
        worst_case(&self.whole())
    }

    fn step(&self, is_lost: bool) -> Step {
        let whole = self.whole();
        match &self.earlier {
            Some(earlier) if !is_lost => {
                // The provider bills what it remembers as well, and that is what the whole prompt tells.
                let cost = worst_case(&whole);
                let native = LlmRequest {
                    prompt: earlier.message.clone(),
                    previous: Some(earlier.interaction.clone()),
                    ..whole
                };
                Step {
                    cost,
                    ..llm_step(StepKey::new(NATIVE_STEP), &native, Purpose::Last, &self.llm)
                }
            }
            Some(_) | None => llm_step(StepKey::new(WHOLE_STEP), &whole, Purpose::Last, &self.llm),
        }
    }
}

/// Decides runs of one question.
#[derive(Debug, Clone, Copy, Default)]
pub struct PromptFlow;

/// What the flow remembers.
#[derive(Debug)]
pub struct PromptState {
    task: ModelTask,
    answered: Option<ModelAnswered>,
    failed: Option<Failure>,
    /// The provider no longer has the earlier call.
    is_lost: bool,
}

impl Flow for PromptFlow {
    type State = PromptState;

    fn name(&self) -> &'static str {
        "prompt"
    }

    fn version(&self) -> u32 {
        1
    }

    fn start(&self, plan: &Json) -> Result<PromptState, Failure> {
        let task = read_plan(plan)?;
        Ok(PromptState {
            task,
            answered: None,
            failed: None,
            is_lost: false,
        })
    }

    fn fold(&self, state: &mut PromptState, event: &Event) {
        match PromptEvent::of(&event.update) {
            PromptEvent::ModelAnswered(answered) => state.answered = Some(*answered),
            // What to do after a timeout is for whoever asked to say: a shorter prompt, for instance.
            PromptEvent::StepRetrying(retrying) => {
                let is_late = matches!(retrying.error.kind, ErrorKind::Timeout | ErrorKind::IdleTimeout);
                state.failed = is_late.then_some(retrying.error);
            }
            PromptEvent::StepFailed(failed) => {
                let is_native = failed.step.as_str() == NATIVE_STEP;
                if is_native && failed.error.kind == ErrorKind::SessionNotFound {
                    state.is_lost = true;
                } else {
                    state.failed = Some(failed.error);
                }
            }
            PromptEvent::Unknown => {}
        }
    }

    fn decide(&self, state: &PromptState, run: &RunState) -> Decision {
        let finish = match (&state.answered, &state.failed) {
            (Some(answered), _) => Some(Outcome::Completed {
                message: format!("{} answered", answered.model),
                data: result(answered, run),
            }),
            (None, Some(failure)) => Some(Outcome::Failed(failure.clone())),
            (None, None) => None,
        };
        let want = match finish {
            Some(_) => Vec::new(),
            None => vec![state.task.step(state.is_lost)],
        };
        Decision {
            want,
            finish,
            ..Decision::default()
        }
    }

    fn announce(&self, _state: &PromptState, _step: &Step, _at: Timestamp) -> Vec<AgentUpdate> {
        Vec::new()
    }

    fn describe(&self, state: &PromptState, step: &Step, end: &StepEnd, at: Timestamp) -> Vec<AgentUpdate> {
        let StepEnd::Completed(output) = end else {
            return Vec::new();
        };
        let Ok(response) = output.output.parse::<LlmResponse>() else {
            return Vec::new();
        };
        let answered = ModelAnswered {
            model: state.task.llm.model.clone(),
            text: response.text,
            usage: response.usage,
            interaction: response.interaction_id,
            retold: state.task.earlier.is_some() && step.key.as_str() == WHOLE_STEP,
        };
        vec![AgentUpdate::new(&answered, at)]
    }
}

/// The shape of every final result, and what is particular to models beside it.
fn result(answered: &ModelAnswered, run: &RunState) -> Json {
    let metadata = ResultMetadata::of(run);
    Json::from(serde_json::json!({
        "answer": answered.text,
        "metadata": metadata,
        "model": answered.model,
        "interaction": answered.interaction,
    }))
}
