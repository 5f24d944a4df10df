//! The flow of one task.

use gemicro_event::{AgentUpdate, Charge, ErrorKind, Event, Failure, Json, StepKey, Timestamp};
use serde::{Deserialize, Serialize};

use super::events::{AgentAnswered, AgentStarted, AskReaders};
use super::task::Grant;
use super::{AgentTask, agent_step};
use crate::budget::{Limits, Purpose};
use crate::flow::{Decision, Flow, Outcome, Step, StepEnd};
use crate::research::events::ResultMetadata;
use crate::run::RunState;
use crate::run::events::RunReaders;

/// The one step of a run of this flow.
pub const ASK_STEP: &str = "agent";

/// Everything that deciding depends on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskPlan {
    /// The task; its grant is what the run may use.
    pub task: AgentTask,
    /// Attempts in all, the first included.
    pub max_attempts: u32,
    /// What was changed while the request became a plan.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
}

/// Decides runs of one task.
#[derive(Debug, Clone, Copy, Default)]
pub struct AskFlow;

/// What the flow remembers.
#[derive(Debug)]
pub struct AskState {
    plan: AskPlan,
    answered: Option<AgentAnswered>,
    failed: Option<Failure>,
}

impl Flow for AskFlow {
    type State = AskState;

    fn name(&self) -> &'static str {
        "ask"
    }

    fn version(&self) -> u32 {
        1
    }

    fn start(&self, plan: &Json) -> Result<AskState, Failure> {
        let plan = plan
            .parse()
            .map_err(|error| Failure::new(ErrorKind::StorageError, error.to_string()))?;
        Ok(AskState {
            plan,
            answered: None,
            failed: None,
        })
    }

    fn fold(&self, state: &mut AskState, event: &Event) {
        if let Some(answered) = event.update.as_agent_answered() {
            state.answered = Some(answered);
        } else if let Some(failed) = event.update.as_step_failed() {
            state.failed = Some(failed.error);
        }
    }

    fn decide(&self, state: &AskState, run: &RunState) -> Decision {
        let finish = match (&state.answered, &state.failed) {
            (Some(answered), _) => Some(Outcome::Completed {
                message: format!("{} answered", answered.agent),
                data: result(answered, run),
            }),
            (None, Some(failure)) => Some(Outcome::Failed(failure.clone())),
            (None, None) => None,
        };
        if finish.is_some() {
            return Decision {
                finish,
                ..Decision::default()
            };
        }
        Decision {
            want: vec![state.step(run)],
            ..Decision::default()
        }
    }

    fn announce(&self, state: &AskState, _step: &Step, at: Timestamp) -> Vec<AgentUpdate> {
        let task = &state.plan.task;
        let started = AgentStarted {
            agent: task.agent,
            model: task.model.clone(),
            directory: task.directory.clone(),
            sandbox: task.sandbox,
        };
        vec![AgentUpdate::new(&started, at)]
    }

    fn describe(&self, state: &AskState, _step: &Step, end: &StepEnd, at: Timestamp) -> Vec<AgentUpdate> {
        let StepEnd::Completed(output) = end else {
            return Vec::new();
        };
        match output.output.parse() {
            Ok(answer) => {
                let agent = state.plan.task.agent;
                vec![AgentUpdate::new(&AgentAnswered { agent, answer }, at)]
            }
            Err(_) => Vec::new(),
        }
    }
}

impl AskState {
    /// The step, with what the run has left: an earlier attempt may have used some.
    fn step(&self, run: &RunState) -> Step {
        let worked_ms = run.worked_ms_at(run.last_at);
        let task = AgentTask {
            // The time is for all attempts together.
            total_ms: self.plan.task.total_ms.saturating_sub(worked_ms).max(1),
            grant: granted(&run.started.limits, run.ledger.available(Purpose::Last)),
            ..self.plan.task.clone()
        };
        agent_step(
            StepKey::new(ASK_STEP),
            &task,
            Purpose::Last,
            self.plan.max_attempts,
        )
    }
}

/// The shape of every final result, and what is particular to agents beside it.
fn result(answered: &AgentAnswered, run: &RunState) -> Json {
    let spent = run.ledger.spent();
    let metadata = ResultMetadata {
        total_tokens: spent.tokens,
        duration_ms: run.worked_ms_at(run.last_at),
        micro_usd: spent.micro_usd,
        ..ResultMetadata::default()
    };
    Json::from(serde_json::json!({
        "answer": answered.answer.text,
        "metadata": metadata,
        "agent": answered.agent,
        "session": answered.answer.session,
        "tier": answered.answer.tier,
        "access": answered.answer.access,
        "n_requests": answered.answer.n_requests,
        "n_tool_calls": answered.answer.n_tool_calls,
        "n_refused": answered.answer.n_refused,
    }))
}

/// What is left of the limits that there are. A used-up limit asks for one more than is left: the step is refused.
fn granted(limits: &Limits, left: Charge) -> Grant {
    let part = |limit: Option<u64>, left: u64| limit.map(|_| left.max(1));
    Grant {
        tokens: part(limits.tokens, left.tokens),
        micro_usd: part(limits.micro_usd, left.micro_usd),
        turns: part(limits.turns, left.turns),
    }
}
