//! Applies events to the state of the loop.

use gemicro_core::run::events::StepFailed;
use gemicro_event::{ErrorKind, Event, event_enum};

use super::events::{OodaActed, OodaDecided, OodaObserved};
use super::state::{Current, OodaState};
use super::trial::RejectionKind;
use crate::proposal::{TestMaterialGathered, TestProposed};

event_enum! {
    /// The events that a loop reads from its journal.
    enum LoopEvent {
        read: OodaObserved, OodaDecided, TestMaterialGathered, TestProposed, OodaActed, StepFailed;
    }
}

impl OodaState {
    pub(super) fn fold(&mut self, event: &Event) {
        match LoopEvent::of(&event.update) {
            LoopEvent::OodaObserved(observed) => {
                self.before.get_or_insert_with(|| observed.observation.clone());
                self.now = Some(observed.observation);
            }
            LoopEvent::OodaDecided(decided) => {
                self.n_rounds = decided.round;
                self.current = Some(Current {
                    gap: decided.gap,
                    material: None,
                    answers: Vec::new(),
                    n_tried: 0,
                });
            }
            LoopEvent::TestMaterialGathered(gathered) => {
                if let Some(current) = &mut self.current {
                    current.material = Some(gathered.material);
                }
            }
            LoopEvent::TestProposed(proposed) => {
                if let Some(current) = &mut self.current {
                    current.answers.push(proposed.answer);
                }
            }
            LoopEvent::OodaActed(acted) => self.fold_act(*acted),
            LoopEvent::StepFailed(failed) => self.fold_failure(*failed),
            LoopEvent::Unknown => {}
        }
    }

    fn fold_act(&mut self, acted: OodaActed) {
        let reason = acted.rejection.as_ref().map(|rejection| rejection.reason);
        self.acts.push(acted);
        let Some(reason) = reason else {
            self.current = None;
            self.n_in_vain = 0;
            return;
        };
        if let Some(current) = self.current.as_mut() {
            current.n_tried = current.n_answers();
        }
        if reason == RejectionKind::NoAnswer || self.n_answers() >= self.plan.max_attempts {
            self.give_up();
        }
    }

    /// Applies a failed step. Without a measurement there is no loop; without an answer there is no test.
    fn fold_failure(&mut self, failed: StepFailed) {
        // One unreadable file says nothing about the others.
        let is_of_gap = self
            .current
            .as_ref()
            .is_some_and(|current| current.material.is_none())
            && failed.error.kind == ErrorKind::InvalidInput;
        if self.now.is_none() || (is_hopeless(failed.error.kind) && !is_of_gap) {
            self.failed = Some(failed.error);
        } else if failed.error.kind == ErrorKind::BudgetExceeded {
            self.is_spent = true;
        }
        // Other failures are recorded by an `ooda_acted` event, together with this one.
    }
}

/// Whether any other gap would fail in the same way.
fn is_hopeless(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::AuthFailed
            | ErrorKind::UnknownModel
            | ErrorKind::SandboxUnavailable
            | ErrorKind::StorageError
            | ErrorKind::UnsupportedRepository
            | ErrorKind::Conflict
            | ErrorKind::Cancelled
            | ErrorKind::Internal
            | ErrorKind::CommandNotFound
    )
}
