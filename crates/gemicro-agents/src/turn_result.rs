//! How a turn of an agent came out, before it is judged.

use gemicro_core::flow::{Again, AttemptCost, StepFailure};
use gemicro_event::Failure;
use gemicro_llm::gateway;
use gemicro_runner::supervise::{TurnOutcome, WarmAgent};

use super::conversation_home::ConversationHome;

/// How a turn came out, before it is judged.
pub(super) struct TurnResult {
    pub(super) outcome: TurnOutcome,
    pub(super) spent: Option<gateway::StepUsage>,
    pub(super) place: ConversationHome,
    /// The process, where it stays, and what it shows the gateway.
    pub(super) warm: Option<(WarmAgent, String)>,
}

pub(super) fn refused_start(failure: Failure) -> StepFailure {
    let (spent, again) = (AttemptCost::Nothing, Again::Never);
    StepFailure {
        failure,
        spent,
        again,
    }
}
