//! The one place where a gate is decided: from a vote, the tree it is about, and what gemicro itself saw.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::payload::AgentDecision;
use crate::steps::Evidence;

/// A reviewer's decision, bound to what was reviewed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Vote {
    /// The word: `APPROVE`, `REJECT`, `ESCALATE`, `PASS` or `FAIL`.
    pub word: String,
    /// The tree that was there to be reviewed, without the documents of tasks.
    pub tree: String,
}

/// What a gate says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GateDecision {
    /// The vote counts, whatever it is.
    Counts,
    /// It is about another tree than the one that is there.
    Void(Vec<String>),
    /// It is a yes that what gemicro saw speaks against.
    Overruled(Vec<String>),
}

/// Decides what a vote is worth. A no always counts; a yes only for the tree that it saw, and a PASS only with evidence
/// about that very tree.
#[must_use]
pub fn gate(vote: &Vote, decision: &AgentDecision, tree: &str, evidence: Option<&Evidence>) -> GateDecision {
    if !decision.is_positive() {
        return GateDecision::Counts;
    }
    if vote.tree.is_empty() || vote.tree != tree {
        let why =
            "the code was changed after it was reviewed, so the verdict is void: review it as it is now";
        return GateDecision::Void(vec![why.to_owned()]);
    }
    if *decision != AgentDecision::Pass {
        return GateDecision::Counts;
    }
    match evidence {
        None => GateDecision::Overruled(vec!["no check was run on what was reviewed".to_owned()]),
        Some(evidence) if evidence.tree != tree => GateDecision::Overruled(vec![
            "the checks were run on another state of the code than the one that was reviewed".to_owned(),
        ]),
        Some(evidence) => match evidence.faults() {
            faults if faults.is_empty() => GateDecision::Counts,
            faults => GateDecision::Overruled(faults),
        },
    }
}
