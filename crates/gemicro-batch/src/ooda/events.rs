//! The events of a loop, one per phase.

use gemicro_event::{event_payload, event_readers};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::observation::Observation;
use super::plan::Decider;
use super::trial::{LandedTrial, Mutations, Rejection};
use crate::proposal::PatchedFile;
use crate::strategy::{CoverageGap, RankedGap};

/// Coverage was measured: at the start, and with every accepted test. Emitted by the OODA flow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OodaObserved {
    /// The round that starts with it, from 1.
    pub round: u32,
    /// Coverage, lines and test time of the branch.
    pub observation: Observation,
}
event_payload!(OodaObserved, "ooda_observed", |it| format!(
    "Observe: {} covered, {} of {} lines",
    it.observation.totals.percent_text(),
    it.observation.totals.covered,
    it.observation.totals.lines
));

/// The gaps were ranked. After every observation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OodaOriented {
    /// Number of the round, counted from 1.
    pub round: u32,
    /// Total number of gaps.
    pub n_gaps: u64,
    /// The first of them, in rank order.
    pub gaps: Vec<RankedGap>,
}
event_payload!(OodaOriented, "ooda_oriented", |it| match it.gaps.first() {
    None => "Orient: no gap is left".to_owned(),
    Some(first) => match it.n_gaps {
        1 => format!("Orient: 1 gap, {}", first.gap.name()),
        n => format!("Orient: {n} gaps, the first is {}", first.gap.name()),
    },
});

/// A gap was chosen. Once per round, with the start of its first step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OodaDecided {
    /// Number of the round, counted from 1.
    pub round: u32,
    /// Whether the policy or a person chose.
    pub by: Decider,
    /// The uncovered lines that a test aims at.
    pub gap: CoverageGap,
}
event_payload!(OodaDecided, "ooda_decided", |it| match it.by {
    Decider::Auto => format!("Decide: {} (policy: the first that is open)", it.gap.name()),
    Decider::Human => format!("Decide: {} (chosen by a person)", it.gap.name()),
});

/// A proposed test was tried and accepted or rejected. Once per proposal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OodaActed {
    /// Number of the round, counted from 1.
    pub round: u32,
    /// Number of the proposal for this gap, from 1.
    pub attempt: u32,
    /// The uncovered lines that a test aims at.
    pub gap: CoverageGap,
    /// The patch; empty if there is none.
    pub patch: String,
    /// The files that the patch changes.
    #[serde(default)]
    pub files: Vec<PatchedFile>,
    /// Why it was rejected; absent if it was accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rejection: Option<Rejection>,
    /// Number of lines that only this test covers.
    #[serde(default)]
    pub newly_covered: u64,
    /// Whether it notices broken code.
    #[serde(default)]
    pub mutations: Mutations,
    /// The commit on the branch; absent if the test was rejected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub landed: Option<LandedTrial>,
}
event_payload!(OodaActed, "ooda_acted", |it| match &it.rejection {
    None => format!(
        "Act: a test for {} was taken; {} more lines are covered",
        it.gap.name(),
        it.newly_covered
    ),
    Some(rejection) => format!(
        "Act: a test for {} was rejected: {}",
        it.gap.name(),
        rejection.message.lines().next().unwrap_or_default()
    ),
});

event_readers! {
    /// Readers of the events of loops.
    pub trait OodaReaders {
        OodaObserved => as_ooda_observed, try_as_ooda_observed;
        OodaOriented => as_ooda_oriented, try_as_ooda_oriented;
        OodaDecided => as_ooda_decided, try_as_ooda_decided;
        OodaActed => as_ooda_acted, try_as_ooda_acted;
    }

    /// Registers the events of loops.
    pub fn register;
}
