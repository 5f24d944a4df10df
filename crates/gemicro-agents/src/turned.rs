//! How a turn of an agent came out, before it is judged.

use gemicro_core::flow::{Again, Spent, StepFailure};
use gemicro_event::Failure;
use gemicro_llm::gateway;
use gemicro_runner::supervise::{Outcome, WarmAgent};

use super::place::Place;

/// How a turn came out, before it is judged.
pub(super) struct Turned {
    pub(super) outcome: Outcome,
    pub(super) spent: Option<gateway::Spent>,
    pub(super) place: Place,
    /// The process, where it stays, and what it shows the gateway.
    pub(super) warm: Option<(WarmAgent, String)>,
}

/// Nothing was begun.
pub(super) fn refused(failure: Failure) -> StepFailure {
    let (spent, again) = (Spent::Nothing, Again::Never);
    StepFailure {
        failure,
        spent,
        again,
    }
}
