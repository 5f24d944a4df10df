//! What the loop remembers: folded from the journal, decided on by `decide`.

use gemicro_core::flow::Step;
use gemicro_event::Failure;

use super::events::OodaActed;
use super::observation::Observation;
use super::plan::OodaPlan;
use crate::proposal::{MaterialInput, ProposalAim, ProposalMaterial};
use crate::strategy::{CoverageGap, RankedGap};

/// A loop so far.
#[derive(Debug)]
pub struct OodaState {
    pub(super) plan: OodaPlan,
    /// What was measured first.
    pub(super) before: Option<Observation>,
    /// What was measured last.
    pub(super) now: Option<Observation>,
    /// Gaps that were taken on.
    pub(super) n_rounds: u32,
    /// The gap that is being worked on.
    pub(super) current: Option<Current>,
    /// Everything that was tried, in order.
    pub(super) acts: Vec<OodaActed>,
    /// Gaps that were given up, by name.
    pub(super) given_up: Vec<String>,
    /// Gaps in a row without a test.
    pub(super) n_in_vain: u32,
    /// Why the loop cannot go on.
    pub(super) failed: Option<Failure>,
    /// The budget let no further call begin.
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

    /// The gaps that can still be taken on, in their order.
    #[must_use]
    pub fn open_gaps(&self) -> Vec<&RankedGap> {
        let gaps = self.now.iter().flat_map(|now| &now.gaps);
        gaps.filter(|it| !self.given_up.contains(&it.gap.name()))
            .collect()
    }

    /// The last test for the gap that is being worked on, and what was wrong with it.
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

    /// Answers to questions about the gap that is being worked on.
    pub(super) fn n_answers(&self) -> u32 {
        self.current.as_ref().map_or(0, Current::n_answers)
    }

    /// The gap whose material a step gathers.
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
    /// Whether the last answer was not tried yet.
    pub(super) fn is_to_be_tried(&self) -> bool {
        self.n_answers() > self.n_tried
    }

    pub(super) fn n_answers(&self) -> u32 {
        u32::try_from(self.answers.len()).unwrap_or(u32::MAX)
    }
}
