//! The decision in an agent's payload.
//!
//! The main type is [`AgentDecision`]. It is only a vote; the pipeline decides what follows.

use serde::{Deserialize, Serialize};

/// An agent's decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Decision")]
pub enum AgentDecision {
    /// The work is finished: a report, a plan or a commit.
    Done,
    /// The report or the plan is good.
    Approve,
    /// The report or the plan has to be done again.
    Reject,
    /// A person has to decide.
    Escalate,
    /// The commits are good.
    Pass,
    /// The commits have to be changed.
    Fail,
    /// The agent admits that it could not do its work.
    Failed {
        /// What stopped it, in the agent's words.
        reason: String,
    },
}

impl AgentDecision {
    /// Whether it would open a gate.
    #[must_use]
    pub const fn is_positive(&self) -> bool {
        match self {
            Self::Approve | Self::Pass => true,
            Self::Done | Self::Reject | Self::Escalate | Self::Fail | Self::Failed { .. } => false,
        }
    }

    /// Whether it rejects the reviewed work.
    #[must_use]
    pub const fn is_negative(&self) -> bool {
        match self {
            Self::Reject | Self::Escalate | Self::Fail => true,
            Self::Done | Self::Approve | Self::Pass | Self::Failed { .. } => false,
        }
    }

    /// Verdict as agents write it, or state in lower case.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Approve => "APPROVE",
            Self::Reject => "REJECT",
            Self::Escalate => "ESCALATE",
            Self::Pass => "PASS",
            Self::Fail => "FAIL",
            Self::Failed { .. } => "failed",
        }
    }
}
