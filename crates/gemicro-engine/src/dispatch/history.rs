//! What became of the attempts at a step, as far as it is durable. Pure.
//!
//! An attempt that somebody took out of the queue counts as begun. Only the durable word of whoever took it says
//! otherwise, however many drivers and workers died since.

use std::collections::BTreeMap;

use gemicro_core::flow::Again;
use gemicro_event::{ErrorKind, Json};

use super::reports::StepWord;

/// So many workers may fall silent over a step.
const MAX_SILENT: usize = 3;
/// So many attempts at a step may be cut off, whether their workers fell silent or said that they leave.
const MAX_LOST: usize = 20;

/// All attempts at one step, by number.
#[derive(Debug, Clone, Default)]
pub(super) struct History {
    pub(super) attempts: BTreeMap<u32, AttemptHistory>,
}

/// What is known of one attempt.
#[derive(Debug, Clone, Default)]
pub(super) struct AttemptHistory {
    /// What its worker said, in order.
    pub(super) words: Vec<StepWord>,
    /// The queue's own word: its worker was not heard within its lease.
    pub(super) is_silent: bool,
}

/// How an attempt stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StepFate {
    /// It waits in the queue, or somebody works on it.
    Open,
    /// It was cut off.
    Lost {
        /// It may have begun.
        begun: bool,
    },
    /// It ended without a result.
    Failed(Again),
    /// It brought a result.
    Done,
}

/// What to do about a step next.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum NextStep {
    /// This attempt has the step's end.
    Hear(u32),
    /// Another attempt, with what an earlier one left outside.
    Try(Option<Json>),
    /// What was cut off left nothing behind: it counts at its worst case, and the step starts afresh.
    Charge,
    /// It may have begun, and must not begin again.
    Interrupted,
    /// It was cut off too often.
    GiveUp,
}

impl AttemptHistory {
    fn stand(&self) -> StepFate {
        match self.words.last() {
            Some(StepWord::Done(_)) => StepFate::Done,
            // The disk of a worker says nothing about the step.
            Some(StepWord::Failed {
                error,
                again: again @ (Again::AsUsual | Again::CutOff),
                not_begun,
                ..
            }) if *again == Again::CutOff || error.kind == ErrorKind::StorageError => {
                StepFate::Lost { begun: !not_begun }
            }
            Some(StepWord::Failed { again, .. }) => StepFate::Failed(*again),
            Some(StepWord::Handle(_) | StepWord::Alarm(_) | StepWord::Fact(_)) | None if self.is_silent => {
                StepFate::Lost { begun: true }
            }
            Some(StepWord::Handle(_) | StepWord::Alarm(_) | StepWord::Fact(_)) | None => StepFate::Open,
        }
    }

    fn handle(&self) -> Option<&Json> {
        self.words.iter().rev().find_map(|word| match word {
            StepWord::Handle(handle) => Some(handle),
            StepWord::Alarm(_) | StepWord::Fact(_) | StepWord::Done(_) | StepWord::Failed { .. } => None,
        })
    }
}

impl History {
    /// What to do next. `since` is the first attempt whose end the run's journal does not have; `may_begin_again` says
    /// whether the step may be begun again once it may have begun.
    pub(super) fn next(&self, since: u32, may_begin_again: bool) -> NextStep {
        let stands = || {
            self.attempts
                .iter()
                .map(|(number, attempt)| (*number, attempt.stand()))
        };
        if let Some((done, _)) = stands().find(|(_, stand)| *stand == StepFate::Done) {
            return NextStep::Hear(done);
        }
        let mut unheard = stands().filter(|(number, _)| *number >= since);
        if let Some((failed, _)) = unheard.find(|(_, stand)| matches!(stand, StepFate::Failed(_))) {
            return NextStep::Hear(failed);
        }
        let is_worn_out = self.n_silent() >= MAX_SILENT || self.n_lost() >= MAX_LOST;
        let may_have_begun = |(_, stand): (u32, StepFate)| match stand {
            StepFate::Lost { begun } => begun,
            StepFate::Failed(again) => again == Again::Never,
            StepFate::Open | StepFate::Done => false,
        };
        if !may_begin_again && stands().any(may_have_begun) {
            // Whoever gets it ends what is left of it, and says so; it does not begin.
            return match self.left_outside(0).filter(|_| !is_worn_out) {
                Some(left) => NextStep::Try(Some(left)),
                None => NextStep::Interrupted,
            };
        }
        if is_worn_out {
            return NextStep::GiveUp;
        }
        let mut of_these = stands().filter(|(number, _)| *number >= since);
        match (of_these.any(may_have_begun), self.left_outside(since)) {
            (true, None) => NextStep::Charge,
            (_, left) => NextStep::Try(left),
        }
    }

    /// Whether an attempt is over.
    pub(super) fn is_over(&self, attempt: u32) -> bool {
        let stand = self.attempts.get(&attempt).map(AttemptHistory::stand);
        stand.is_some_and(|stand| stand != StepFate::Open)
    }

    /// The highest attempt that is over; 0 for none.
    pub(super) fn last_over(&self) -> u32 {
        let over = self.attempts.keys().rev().find(|number| self.is_over(**number));
        over.copied().unwrap_or(0)
    }

    /// How many attempts were cut off.
    pub(super) fn n_lost(&self) -> usize {
        let stands = self.attempts.values().map(AttemptHistory::stand);
        stands
            .filter(|stand| matches!(stand, StepFate::Lost { .. }))
            .count()
    }

    fn n_silent(&self) -> usize {
        self.attempts.values().filter(|attempt| attempt.is_silent).count()
    }

    /// What the attempts that were cut off left outside: the last word about it.
    fn left_outside(&self, since: u32) -> Option<Json> {
        let attempts = self.attempts.range(since..).rev();
        let lost = attempts.filter(|(_, attempt)| attempt.stand() == StepFate::Lost { begun: true });
        lost.filter_map(|(_, attempt)| attempt.handle()).next().cloned()
    }
}

#[cfg(test)]
mod tests;
