//! One round of one phase, folded from its events.

use std::time::Duration;

use gemicro_core::ask::AgentName;
use gemicro_engine::pipeline::flow::{PhaseAnswered, PhaseEnded, PhaseStarted};
use gemicro_engine::pipeline::payload::PayloadShape;
use gemicro_engine::pipeline::steps::{CheckRecord, ImportStepResult, MergeResult};
use gemicro_event::{Charge, StepKey, Timestamp};
use serde::Serialize;

/// One round of one phase.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct PhaseStory {
    /// Its name in the workflow.
    pub(crate) phase: String,
    /// Its name for people.
    pub(crate) label: String,
    /// Number of times that the phase was entered, including this one.
    pub(crate) round: u32,
    /// The role that works in it; `None` if it is gemicro itself.
    pub(crate) role: Option<String>,
    pub(crate) agent: Option<AgentName>,
    /// The model, if one was named.
    pub(crate) model: Option<String>,
    /// The notes of the project's memory in its prompt.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) memory: Vec<String>,
    pub(crate) started_at: Timestamp,
    pub(crate) ended_at: Option<Timestamp>,
    /// How long the run was suspended in it, in milliseconds.
    pub(crate) rested_ms: u64,
    /// What its agent decided.
    pub(crate) verdict: Option<String>,
    /// How it ended: the name of an edge, `again`, or `stop`.
    pub(crate) outcome: Option<String>,
    /// The reasons, if it did not succeed.
    pub(crate) reasons: Vec<String>,
    /// The agent's remarks besides its verdict.
    pub(crate) feedback: Option<String>,
    pub(crate) document: Option<String>,
    /// Why the agent was asked again.
    pub(crate) asked_again: Vec<String>,
    /// Tool calls that the guard denied.
    pub(crate) denials: Vec<String>,
    pub(crate) taken: Option<ImportStepResult>,
    /// Why the agent's work was not imported.
    pub(crate) refused: Option<String>,
    /// The checks that gemicro ran.
    pub(crate) checks: Vec<CheckRecord>,
    /// Documents that gemicro committed.
    pub(crate) recorded: Vec<String>,
    /// How main was merged.
    pub(crate) merged: Option<MergeResult>,
    /// What its steps cost.
    pub(crate) charge: Charge,
    /// The branch's commit at the start.
    pub(crate) from_commit: Option<String>,
    /// The branch's commit after its last step.
    pub(crate) to_commit: Option<String>,
    /// The phase that it led to.
    pub(crate) next: Option<String>,
    /// The expected form of its answer.
    #[serde(skip)]
    pub(crate) shape: Option<PayloadShape>,
    /// When the current step began.
    #[serde(skip)]
    pub(crate) step_at: Timestamp,
}

/// The state of a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PhaseState {
    /// It has not ended.
    UnderWay,
    /// An approval, a merge, or work that passed.
    Good,
    /// It led to another phase, and nothing was wrong.
    LedOn,
    /// A rejection, or work that failed.
    Bad,
}

impl PhaseStory {
    /// A phase that begins now, on the branch at `tip`.
    pub(super) fn new(started: PhaseStarted, at: Timestamp, tip: Option<String>) -> Self {
        Self {
            phase: started.phase,
            label: started.label,
            round: started.round,
            role: started.role,
            agent: started.agent,
            model: started.model,
            memory: started.memory,
            started_at: at,
            ended_at: None,
            rested_ms: 0,
            verdict: None,
            outcome: None,
            reasons: Vec::new(),
            feedback: None,
            document: None,
            asked_again: Vec::new(),
            denials: Vec::new(),
            taken: None,
            refused: None,
            checks: Vec::new(),
            recorded: Vec::new(),
            merged: None,
            charge: Charge::ZERO,
            to_commit: tip.clone(),
            from_commit: tip,
            next: None,
            shape: None,
            step_at: at,
        }
    }

    /// Whether a step belongs to it.
    pub(super) fn has(&self, step: &StepKey) -> bool {
        step.as_str()
            .starts_with(&format!("{}.{}:", self.phase, self.round))
    }

    /// Takes an answer into account, usable or not.
    pub(super) fn answer(&mut self, answered: &PhaseAnswered) {
        self.denials.extend(answered.denials.iter().cloned());
        match (&answered.refused, &answered.payload) {
            (None, Some(payload)) => {
                self.shape = Some(payload.shape());
                self.verdict = Some(payload.decision().word().to_owned());
                self.feedback = payload.feedback().map(|feedback| feedback.to_text());
            }
            (Some(why), _) => self.asked_again.push(why.clone()),
            (None, None) => self.asked_again.push("it has no usable payload".to_owned()),
        }
    }

    /// Takes its end into account.
    pub(super) fn end(&mut self, ended: PhaseEnded, at: Timestamp) {
        self.ended_at = Some(at);
        self.outcome = Some(ended.outcome);
        self.reasons = ended.reasons;
        self.feedback = ended.feedback.or(self.feedback.take());
        self.document = ended.document;
        self.next = ended.next;
    }

    pub(crate) fn phase_state(&self) -> PhaseState {
        match self.outcome.as_deref() {
            None => PhaseState::UnderWay,
            Some("done" | "APPROVE" | "PASS" | "merged" | "up_to_date") => PhaseState::Good,
            Some("again" | "stop" | "REJECT" | "FAIL") => PhaseState::Bad,
            // A conflict or a question is handled by another phase.
            Some(_) => PhaseState::LedOn,
        }
    }

    /// Counts time in which the run was suspended.
    pub(super) fn rest(&mut self, from: Timestamp, to: Timestamp) {
        let rested = millis(to.since(from.max(self.started_at)));
        self.rested_ms = self.rested_ms.saturating_add(rested);
    }

    /// How long it took; `None` while it is running.
    pub(crate) fn took_ms(&self) -> Option<u64> {
        self.ended_at.map(|at| self.worked_ms(at))
    }

    /// Working time until a given moment.
    pub(crate) fn worked_ms(&self, at: Timestamp) -> u64 {
        millis(at.since(self.started_at)).saturating_sub(self.rested_ms)
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
