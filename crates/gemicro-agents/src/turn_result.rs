//! The result of an agent's turn, before the verdict.

use gemicro_core::flow::{Again, AttemptCost, StepFailure};
use gemicro_event::Failure;
use gemicro_llm::gateway;
use gemicro_runner::supervise::{TurnOutcome, WarmAgent};

use super::conversation_home::ConversationHome;

/// The result of a turn, before the verdict.
pub(super) struct TurnResult {
    pub(super) outcome: TurnOutcome,
    pub(super) spent: Option<gateway::StepUsage>,
    pub(super) place: ConversationHome,
    /// The process, if it stays, and its gateway token.
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
