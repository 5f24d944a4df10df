//! The state of the loop, folded from the journal.

use gemicro_core::flow::Step;
use gemicro_event::Failure;

use super::events::OodaActed;
use super::observation::Observation;
use super::plan::OodaPlan;
use crate::proposal::{MaterialInput, ProposalAim, ProposalMaterial};
use crate::strategy::{CoverageGap, RankedGap};

/// The state of a loop.
#[derive(Debug)]
pub struct OodaState {
    pub(super) plan: OodaPlan,
    pub(super) before: Option<Observation>,
    pub(super) now: Option<Observation>,
    /// Number of gaps worked on.
    pub(super) n_rounds: u32,
    /// The gap that is being worked on.
    pub(super) current: Option<Current>,
    /// All trials, in order.
    pub(super) acts: Vec<OodaActed>,
    /// Gaps that were given up, by name.
    pub(super) given_up: Vec<String>,
    /// Number of gaps in a row without a test.
    pub(super) n_in_vain: u32,
    /// Why the loop cannot continue.
    pub(super) failed: Option<Failure>,
    /// Whether the budget refused a call.
    pub(super) is_spent: bool,
}

/// The gap that is being worked on.
#[derive(Debug)]
pub(super) struct Current {
    pub(super) gap: CoverageGap,
    pub(super) material: Option<ProposalMaterial>,
    /// The model's answers so far.
    pub(super) answers: Vec<String>,
    /// How many of them were tried.
    pub(super) n_tried: u32,
}

impl OodaState {
    pub(super) fn new(plan: OodaPlan) -> Self {
        Self {
            plan,
            before: None,
            now: None,
            n_rounds: 0,
            current: None,
            acts: Vec::new(),
            given_up: Vec::new(),
            n_in_vain: 0,
            failed: None,
            is_spent: false,
        }
    }

    /// The gaps that can still be worked on, in rank order.
    #[must_use]
    pub fn open_gaps(&self) -> Vec<&RankedGap> {
        let gaps = self.now.iter().flat_map(|now| &now.gaps);
        gaps.filter(|it| !self.given_up.contains(&it.gap.name()))
            .collect()
    }

    /// The last trial for the current gap.
    pub(super) fn last_act(&self) -> Option<&OodaActed> {
        self.acts.last().filter(|act| act.round == self.n_rounds)
    }

    /// Ends the work on the current gap without a test.
    pub(super) fn give_up(&mut self) {
        if let Some(current) = self.current.take() {
            self.given_up.push(current.gap.name());
            self.n_in_vain += 1;
        }
    }
}

impl OodaState {
    pub(super) fn current_gap(&self) -> Option<CoverageGap> {
        self.current.as_ref().map(|current| current.gap.clone())
    }

    /// Number of answers for the current gap.
    pub(super) fn n_answers(&self) -> u32 {
        self.current.as_ref().map_or(0, Current::n_answers)
    }

    /// The gap that a step gathers material for.
    pub(super) fn gap_of(&self, step: &Step) -> Option<CoverageGap> {
        let input: MaterialInput = step.input.parse().ok()?;
        let is_meant = |gap: &CoverageGap| {
            gap.file == input.target && ProposalAim::Lines(gap.lines.clone()) == input.aim
        };
        let gaps = self.now.iter().flat_map(|now| &now.gaps);
        gaps.map(|it| &it.gap).find(|gap| is_meant(gap)).cloned()
    }
}

impl Current {
    /// Whether the last answer has not been tried yet.
    pub(super) fn is_to_be_tried(&self) -> bool {
        self.n_answers() > self.n_tried
    }

    pub(super) fn n_answers(&self) -> u32 {
        u32::try_from(self.answers.len()).unwrap_or(u32::MAX)
    }
}
