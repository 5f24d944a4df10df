//! Decides gates, from a vote, the tree it is about, and the evidence that gemicro gathered.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::payload::AgentDecision;
use crate::steps::Evidence;

/// A reviewer's decision, bound to what was reviewed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Vote {
    /// Verdict: `APPROVE`, `REJECT`, `ESCALATE`, `PASS` or `FAIL`.
    pub word: String,
    /// The reviewed tree, without the documents of tasks.
    pub tree: String,
}

/// The decision about a vote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GateDecision {
    /// The vote counts, positive or negative.
    Counts,
    /// The vote is about another tree than the current one.
    Void(Vec<String>),
    /// The vote is positive, but the evidence contradicts it.
    Overruled(Vec<String>),
}

/// Decides whether a vote counts. A negative vote always counts; a positive one only for the tree it reviewed, and a
/// PASS only with evidence about that same tree.
#[must_use]
pub fn gate(vote: &Vote, decision: &AgentDecision, tree: &str, evidence: Option<&Evidence>) -> GateDecision {
    if !decision.is_positive() {
        return GateDecision::Counts;
    }
    if vote.tree.is_empty() || vote.tree != tree {
        let why = "the code was changed after it was reviewed, so the verdict does not count: review the current code";
        return GateDecision::Void(vec![why.to_owned()]);
    }
    if *decision != AgentDecision::Pass {
        return GateDecision::Counts;
    }
    match evidence {
        None => GateDecision::Overruled(vec!["no check was run on the reviewed code".to_owned()]),
        Some(evidence) if evidence.tree != tree => GateDecision::Overruled(vec![
            "the checks were run on a different version of the code than the review".to_owned(),
        ]),
        Some(evidence) => match evidence.faults() {
            faults if faults.is_empty() => GateDecision::Counts,
            faults => GateDecision::Overruled(faults),
        },
    }
}
