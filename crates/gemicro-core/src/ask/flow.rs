//! The flow of a run with one agent task.

use gemicro_event::{
    AgentUpdate, Charge, ErrorKind, Event, Failure, Json, StepKey, StreamId, Timestamp, event_enum,
};
use serde::{Deserialize, Serialize};

use super::events::{AgentAnswered, AgentStarted};
use super::task::TaskGrant;
use super::{AgentTask, AgentTrouble, agent_step};
use crate::budget::{Limits, Purpose};
use crate::flow::{Decision, Flow, Outcome, Step, StepEnd, read_plan};
use crate::research::events::ResultMetadata;
use crate::run::RunState;
use crate::run::events::{RunParked, RunSuspended, RunWoken, StepFailed};

/// The step of a run of this flow.
const ASK_STEP: &str = "agent";
/// The step of the agent that takes over.
const FALLBACK_STEP: &str = "fallback";

/// Everything that deciding depends on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskPlan {
    /// The task; its grant is what the run may use.
    pub task: AgentTask,
    /// The agent that takes over when the provider limits the requests of the first one; without it the run waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<AgentTask>,
    /// Maximum number of attempts, including the first.
    pub max_attempts: u32,
    /// Changes that were made when the request became a plan, for the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// The conversation that it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<StreamId>,
}

event_enum! {
    /// The events that a run of one task reads.
    enum AskEvent {
        noticed: RunParked, RunWoken;
        read: AgentAnswered, StepFailed, RunSuspended;
    }
}

/// Decides runs of one task.
#[derive(Debug, Clone, Copy, Default)]
pub struct AskFlow;

/// The state of the flow.
#[derive(Debug)]
pub struct AskState {
    plan: AskPlan,
    answered: Option<AgentAnswered>,
    failed: Option<Failure>,
    /// The first agent met a limit, and the fallback works.
    fell_over: bool,
    /// Start of the current wait for a limit to end.
    parked_since: Option<Timestamp>,
    /// Duration of earlier waits.
    parked_ms: u64,
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
        let plan = read_plan(plan)?;
        Ok(AskState {
            plan,
            answered: None,
            failed: None,
            fell_over: false,
            parked_since: None,
            parked_ms: 0,
        })
    }

    fn fold(&self, state: &mut AskState, event: &Event) {
        let at = event.update.timestamp;
        match AskEvent::of(&event.update) {
            AskEvent::AgentAnswered(answered) => state.answered = Some(*answered),
            AskEvent::StepFailed(failed) => state.failed_with(failed.error),
            AskEvent::RunParked => state.parked_since = Some(at),
            AskEvent::RunWoken => state.waited_until(at),
            AskEvent::RunSuspended(suspended) => state.waited_until(suspended.stopped_at),
            AskEvent::Unknown => {}
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

    fn announce(&self, state: &AskState, step: &Step, at: Timestamp) -> Vec<AgentUpdate> {
        let task = state.task_of(step);
        let started = AgentStarted {
            agent: task.agent,
            model: task.model.clone(),
            directory: task.directory.clone(),
            sandbox: task.sandbox,
            branch: task.branch.clone(),
        };
        vec![AgentUpdate::new(&started, at)]
    }

    fn describe(&self, state: &AskState, step: &Step, end: &StepEnd, at: Timestamp) -> Vec<AgentUpdate> {
        let StepEnd::Completed(output) = end else {
            return Vec::new();
        };
        match output.output.parse() {
            Ok(answer) => {
                let agent = state.task_of(step).agent;
                vec![AgentUpdate::new(&AgentAnswered { agent, answer }, at)]
            }
            Err(_) => Vec::new(),
        }
    }
}

impl AskState {
    /// The step, with the remaining grant and time: an earlier attempt may have used some.
    fn step(&self, run: &RunState) -> Step {
        let worked_ms = run.worked_ms_at(run.last_at).saturating_sub(self.parked_ms);
        let (key, task) = match &self.plan.fallback {
            Some(fallback) if self.fell_over => (FALLBACK_STEP, fallback),
            Some(_) | None => (ASK_STEP, &self.plan.task),
        };
        let task = AgentTask {
            // The time limit covers all attempts together; waiting for a limit to end does not count.
            total_ms: task.total_ms.saturating_sub(worked_ms).max(1),
            grant: remaining_grant(&run.started.limits, run.ledger.available(Purpose::Last)),
            ..task.clone()
        };
        agent_step(StepKey::new(key), &task, Purpose::Last, self.plan.max_attempts)
    }
}

impl AskState {
    fn task_of(&self, step: &Step) -> &AgentTask {
        match &self.plan.fallback {
            Some(fallback) if step.key.as_str() == FALLBACK_STEP => fallback,
            Some(_) | None => &self.plan.task,
        }
    }

    fn failed_with(&mut self, failure: Failure) {
        let is_limit = matches!(failure.kind, ErrorKind::RateLimited | ErrorKind::QuotaExhausted);
        let is_clean = !AgentTrouble::of(&failure).may_have_changed;
        if is_limit && is_clean && self.plan.fallback.is_some() && !self.fell_over {
            self.fell_over = true;
        } else {
            self.failed = Some(failure);
        }
    }

    fn waited_until(&mut self, at: Timestamp) {
        if let Some(since) = self.parked_since.take() {
            let waited = u64::try_from(at.since(since).as_millis()).unwrap_or(u64::MAX);
            self.parked_ms = self.parked_ms.saturating_add(waited);
        }
    }
}

/// The fields of every final result, and those specific to agents.
fn result(answered: &AgentAnswered, run: &RunState) -> Json {
    let metadata = ResultMetadata::of(run);
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

/// The remaining part of each limit that is set. A used-up limit asks for 1, more than is left, so the step is refused.
fn remaining_grant(limits: &Limits, left: Charge) -> TaskGrant {
    let part = |limit: Option<u64>, left: u64| limit.map(|_| left.max(1));
    TaskGrant {
        tokens: part(limits.tokens, left.tokens),
        micro_usd: part(limits.micro_usd, left.micro_usd),
        turns: part(limits.turns, left.turns),
    }
}
