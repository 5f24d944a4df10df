//! The durable history of the attempts at a step, and the decision what to do next. Pure.
//!
//! An attempt that was claimed from the queue counts as begun, unless its worker durably reported otherwise, however
//! many drivers and workers died since.

use std::collections::BTreeMap;

use gemicro_core::flow::Again;
use gemicro_event::{ErrorKind, Json};

use super::reports::StepWord;

/// Number of silent workers after which a step is given up.
const MAX_SILENT: usize = 3;
/// Number of interrupted attempts after which a step is given up, whether their workers fell silent or shut down.
const MAX_LOST: usize = 20;

/// All attempts at one step, by number.
#[derive(Debug, Clone, Default)]
pub(super) struct History {
    pub(super) attempts: BTreeMap<u32, AttemptHistory>,
}

/// The history of one attempt.
#[derive(Debug, Clone, Default)]
pub(super) struct AttemptHistory {
    /// Its worker's reports, in order.
    pub(super) words: Vec<StepWord>,
    /// Whether the queue reported that its worker did not renew its lease.
    pub(super) is_silent: bool,
}

/// The state of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StepFate {
    /// It waits in the queue or is running.
    Open,
    Lost {
        /// Whether it may have begun.
        begun: bool,
    },
    Failed(Again),
    /// It has a result.
    Done,
}

/// The next action for a step.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum NextStep {
    /// Use the end of this attempt.
    Hear(u32),
    /// Start another attempt, with the handle that an earlier one left.
    Try(Option<Json>),
    /// Interrupted attempts left no handle: charge them at their worst case, and start afresh.
    Charge,
    /// It may have begun, and must not begin again.
    Interrupted,
    /// It was interrupted too often.
    GiveUp,
}

impl AttemptHistory {
    fn stand(&self) -> StepFate {
        match self.words.last() {
            Some(StepWord::Done(_)) => StepFate::Done,
            // A storage error of the worker says nothing about the step.
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
    /// Decides what to do next. `since` is the first attempt whose end is not in the run's journal; `may_begin_again`
    /// is whether the step may be repeated once it may have begun.
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
            // The next worker only cleans up what is left and reports that; it does not start the step again.
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

    /// Whether an attempt has ended.
    pub(super) fn is_over(&self, attempt: u32) -> bool {
        let stand = self.attempts.get(&attempt).map(AttemptHistory::stand);
        stand.is_some_and(|stand| stand != StepFate::Open)
    }

    /// The last attempt that has ended; 0 for none.
    pub(super) fn last_over(&self) -> u32 {
        let over = self.attempts.keys().rev().find(|number| self.is_over(**number));
        over.copied().unwrap_or(0)
    }

    /// Number of interrupted attempts.
    pub(super) fn n_lost(&self) -> usize {
        let stands = self.attempts.values().map(AttemptHistory::stand);
        stands
            .filter(|stand| matches!(stand, StepFate::Lost { .. }))
            .count()
    }

    fn n_silent(&self) -> usize {
        self.attempts.values().filter(|attempt| attempt.is_silent).count()
    }

    /// The last handle that interrupted attempts left.
    fn left_outside(&self, since: u32) -> Option<Json> {
        let attempts = self.attempts.range(since..).rev();
        let lost = attempts.filter(|(_, attempt)| attempt.stand() == StepFate::Lost { begun: true });
        lost.filter_map(|(_, attempt)| attempt.handle()).next().cloned()
    }
}

#[cfg(test)]
mod tests;
