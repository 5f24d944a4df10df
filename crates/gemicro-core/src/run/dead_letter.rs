//! The dead-letter rule: which steps of a run failed permanently and can be repeated in a new run.
//!
//! The main type is [`DeadLetter`]. Stores use it to maintain and rebuild their lists; it does not know how a new run
//! is started.

use gemicro_event::{ErrorKind, Event, Failure, FailureClass, StepKey, StreamId, Timestamp};
use serde::{Deserialize, Serialize};

use super::events::RunReaders;

/// A step that was tried and failed permanently.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadLetter {
    /// Id of the run that this belongs to.
    pub run: StreamId,
    /// Key of the step that this is about.
    pub step: StepKey,
    /// Number of attempts.
    pub attempts: u32,
    /// Why the last attempt failed.
    pub error: Failure,
    /// When it failed.
    pub at: Timestamp,
}

impl DeadLetter {
    /// The dead letter for an event; `None` for every event but `step_failed`, and for steps that were never tried,
    /// were stopped, ran out of budget, were invalid requests, found no evidence or were rejected by a person.
    #[must_use]
    pub fn of(event: &Event) -> Option<Self> {
        if event.update.event_type != "step_failed" {
            return None;
        }
        let failed = event.update.as_step_failed()?;
        (failed.attempt > 0 && is_worth_another_run(&failed.error)).then(|| Self {
            run: event.stream.clone(),
            step: failed.step,
            attempts: failed.attempt,
            error: failed.error,
            at: event.update.timestamp,
        })
    }
}

/// The run whose dead letters a new run repeats: its parent, if the new run's first event has `"resubmits": true`.
/// `None` for every other event.
#[must_use]
pub fn resubmitted_run(event: &Event) -> Option<&StreamId> {
    let parent_run = event.parent_run.as_ref()?;
    if event.seq != 1 || event.update.event_type != "run_started" {
        return None;
    }
    let resubmits = event.update.data.get("resubmits")?.as_bool()?;
    resubmits.then_some(parent_run)
}

fn is_worth_another_run(error: &Failure) -> bool {
    let ended_as_asked = matches!(
        error.kind,
        ErrorKind::Cancelled | ErrorKind::Interrupted | ErrorKind::NoEvidence | ErrorKind::BudgetExceeded
    ) || error.is_decided_by_person();
    // The same invalid request would fail again.
    !ended_as_asked && error.kind.class() != FailureClass::Usage
}
