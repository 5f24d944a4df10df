//! The flow of one prompt to a model.
//!
//! The model may look up its conversation first, with `recall`: each such round is a model call and a look-up, both in
//! the journal, so neither is repeated if the run is killed in between.

use gemicro_event::{
    AgentUpdate, Charge, ErrorKind, Event, Failure, Json, StepKey, Timestamp, Usage, event_enum,
};

use super::events::{ConversationRecalled, FunctionsCalled, ModelAnswered};
use super::model_task::{FunctionOffer, ModelTask, PromptMode};
use super::recall::{RECALL_STEP, recall_step};
use crate::ask::AgentName;
use crate::budget::Purpose;
use crate::flow::{Decision, Flow, Outcome, Step, StepEnd, StepOutput, read_plan};
use crate::llm::{FunctionRound, LlmResponse};
use crate::research::events::ResultMetadata;
use crate::run::events::{StepFailed, StepRetrying};
use crate::run::{RunState, StepState};

/// Maximum number of look-ups for one answer.
const MAX_ROUNDS: usize = 3;

event_enum! {
    /// The events that a run of one prompt reads.
    enum PromptEvent {
        read: ModelAnswered, FunctionsCalled, ConversationRecalled, StepRetrying, StepFailed;
    }
}

/// Decides runs of one prompt.
#[derive(Debug, Clone, Copy, Default)]
pub struct PromptFlow;

/// The state of the flow.
#[derive(Debug)]
pub struct PromptState {
    task: ModelTask,
    mode: PromptMode,
    /// Calls of the model and their results so far.
    rounds: Vec<FunctionRound>,
    /// Calls that have no results yet.
    called: Option<FunctionsCalled>,
    /// Tokens of all rounds.
    used: Usage,
    answered: Option<ModelAnswered>,
    failed: Option<Failure>,
}

impl PromptState {
    /// The next step of the run.
    fn next_step(&self, run: &RunState) -> Step {
        let n_rounds = self.rounds.len();
        if let (Some(called), Some(conversation)) = (&self.called, &self.task.conversation) {
            return recall_step(self.mode.recall_key(n_rounds), conversation, &called.calls);
        }
        let key = self.mode.key(n_rounds);
        let may_call = self.task.recall
            && self.task.conversation.is_some()
            && AgentName::of_backend(&self.task.llm.backend).is_none()
            && self.mode != PromptMode::Plain
            && n_rounds < MAX_ROUNDS;
        let offer = if may_call && has_room(run, &key, self.task.cost_with_results(&self.rounds)) {
            FunctionOffer::Recall
        } else {
            FunctionOffer::Nothing
        };
        let step = self.task.step(self.mode, &self.rounds, offer);
        if n_rounds > 0 && !has_room(run, &key, step.cost) {
            // The results were longer than expected: an answer without them is better than none.
            return self.task.step(PromptMode::Plain, &[], FunctionOffer::Nothing);
        }
        step
    }

    /// The mode to continue in after a step failed; `None` if the run must fail.
    fn mode_after(&self, failed: &StepFailed) -> Option<PromptMode> {
        if failed.step == PromptMode::Plain.key(0) {
            return None;
        }
        if self.called.is_some() {
            return Some(PromptMode::Plain);
        }
        let is_refused = match failed.error.kind {
            ErrorKind::SessionNotFound => true,
            ErrorKind::InvalidInput => !self.rounds.is_empty(),
            _ => false,
        };
        match self.mode {
            PromptMode::Native if is_refused => Some(PromptMode::Whole),
            PromptMode::Whole if is_refused && !self.rounds.is_empty() => Some(PromptMode::Plain),
            PromptMode::Native | PromptMode::Whole | PromptMode::Plain => None,
        }
    }
}

/// Whether the remaining budget allows this cost; the step's own reservation counts as available.
fn has_room(run: &RunState, key: &StepKey, cost: Charge) -> bool {
    let own = match run.steps.get(key) {
        Some(StepState::Running(attempt)) => attempt.reserved,
        Some(StepState::Waiting {
            kept: Some((_, reserved)),
            ..
        }) => *reserved,
        Some(StepState::Waiting { .. } | StepState::Completed | StepState::Failed(_)) | None => Charge::ZERO,
    };
    let left = run.ledger.available(Purpose::Last).plus(own);
    cost.beyond(left) == Charge::ZERO
}

impl Flow for PromptFlow {
    type State = PromptState;

    fn name(&self) -> &'static str {
        "prompt"
    }

    /// 2: a model may call functions before it answers.
    fn version(&self) -> u32 {
        2
    }

    fn start(&self, plan: &Json) -> Result<PromptState, Failure> {
        let task: ModelTask = read_plan(plan)?;
        let mode = match &task.earlier {
            Some(_) => PromptMode::Native,
            None => PromptMode::Whole,
        };
        Ok(PromptState {
            task,
            mode,
            rounds: Vec::new(),
            called: None,
            used: Usage::default(),
            answered: None,
            failed: None,
        })
    }

    fn fold(&self, state: &mut PromptState, event: &Event) {
        match PromptEvent::of(&event.update) {
            PromptEvent::ModelAnswered(answered) => state.answered = Some(*answered),
            PromptEvent::FunctionsCalled(called) => {
                state.used = state.used.plus(called.usage);
                state.called = Some(*called);
            }
            PromptEvent::ConversationRecalled(recalled) => {
                let results = recalled.answers.into_iter().map(|answer| answer.result);
                state
                    .rounds
                    .extend(state.called.take().map(|called| FunctionRound {
                        text: called.text,
                        interaction: called.interaction,
                        calls: called.calls,
                        results: results.collect(),
                    }));
            }
            // After a timeout the run fails, so that the caller can decide what to do, such as shorten the prompt.
            PromptEvent::StepRetrying(retrying) => {
                let is_late = matches!(retrying.error.kind, ErrorKind::Timeout | ErrorKind::IdleTimeout);
                state.failed = is_late.then_some(retrying.error);
            }
            PromptEvent::StepFailed(failed) => match state.mode_after(&failed) {
                Some(mode) => {
                    state.mode = mode;
                    state.rounds.clear();
                    state.called = None;
                }
                None => state.failed = Some(failed.error),
            },
            PromptEvent::Unknown => {}
        }
    }

    fn decide(&self, state: &PromptState, run: &RunState) -> Decision {
        match (&state.answered, &state.failed) {
            (Some(answered), _) => Decision::end(Outcome::Completed {
                message: format!("{} answered", answered.model),
                data: result(answered, run),
            }),
            (None, Some(failure)) => Decision::end(Outcome::Failed(failure.clone())),
            (None, None) => Decision::step(state.next_step(run)),
        }
    }

    fn announce(&self, _state: &PromptState, _step: &Step, _at: Timestamp) -> Vec<AgentUpdate> {
        Vec::new()
    }

    fn describe(&self, state: &PromptState, step: &Step, end: &StepEnd, at: Timestamp) -> Vec<AgentUpdate> {
        let StepEnd::Completed(output) = end else {
            return Vec::new();
        };
        let update = if step.kind == RECALL_STEP {
            recall_event(output, at)
        } else {
            answer_event(state, output, at)
        };
        update.into_iter().collect()
    }
}

fn recall_event(output: &StepOutput, at: Timestamp) -> Option<AgentUpdate> {
    let answers = output.output.parse().ok()?;
    Some(AgentUpdate::new(&ConversationRecalled { answers }, at))
}

/// The event for a model's response: its answer, or its function calls.
fn answer_event(state: &PromptState, output: &StepOutput, at: Timestamp) -> Option<AgentUpdate> {
    let response: LlmResponse = output.output.parse().ok()?;
    let model = state.task.llm.model.clone();
    if response.calls.is_empty() {
        let answered = ModelAnswered {
            model,
            text: response.text,
            usage: state.used.plus(response.usage),
            interaction: response.interaction_id,
            retold: state.task.earlier.is_some() && state.mode != PromptMode::Native,
        };
        return Some(AgentUpdate::new(&answered, at));
    }
    let called = FunctionsCalled {
        model,
        text: response.text,
        calls: response.calls,
        usage: response.usage,
        interaction: response.interaction_id,
    };
    Some(AgentUpdate::new(&called, at))
}

/// The fields of every final result, and those specific to models.
fn result(answered: &ModelAnswered, run: &RunState) -> Json {
    let metadata = ResultMetadata::of(run);
    Json::from(serde_json::json!({
        "answer": answered.text,
        "metadata": metadata,
        "model": answered.model,
        "interaction": answered.interaction,
    }))
}
