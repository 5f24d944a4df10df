//! The [`Flow`] trait.

use gemicro_event::{AgentUpdate, Event, Failure, Json, Timestamp};

use super::{Decision, Step, StepEnd};
use crate::command::AgentCommand;
use crate::run::RunState;
use crate::store::BoardLine;

/// Pure code that turns a journal into the next steps.
///
/// `drive` passes each event to `fold` exactly once and in order (the journal's sequence numbers ensure that), so an
/// implementation can simply apply it.
pub trait Flow: Send + Sync {
    /// The flow's state: a function of the plan and the events so far.
    type State: Send + Sync;

    /// The flow's name in `run_started`.
    fn name(&self) -> &'static str;

    /// Version of the events this flow writes. A run started with a higher version is left alone.
    fn version(&self) -> u32;

    /// The state before the first event.
    ///
    /// # Errors
    /// When the plan cannot be read.
    fn start(&self, plan: &Json) -> Result<Self::State, Failure>;

    /// Applies one event. Unknown kinds are ignored.
    fn fold(&self, state: &mut Self::State, event: &Event);

    /// Decides what to do now. Deciding twice is harmless: keys that were started are ignored.
    fn decide(&self, state: &Self::State, run: &RunState) -> Decision;

    /// Events to write together with the start of a step's first attempt.
    fn announce(&self, state: &Self::State, step: &Step, at: Timestamp) -> Vec<AgentUpdate>;

    /// Events to write together with the end of a step, in the same transaction.
    fn describe(&self, state: &Self::State, step: &Step, end: &StepEnd, at: Timestamp) -> Vec<AgentUpdate>;

    /// The board lines that changed since the last call; the first call returns all. A flow without a board has none.
    fn board(&self, _state: &mut Self::State) -> Vec<BoardLine> {
        Vec::new()
    }

    /// The events that result from a command of this flow. The driver handles `cancel`, `pause` and `answer` itself.
    ///
    /// # Errors
    /// With the reason why the command is rejected.
    fn handle_command(
        &self,
        _state: &Self::State,
        command: &AgentCommand,
        _at: Timestamp,
    ) -> Result<Vec<AgentUpdate>, String> {
        let named = &command.command_type;
        Err(format!("this run does not know the command {named}"))
    }
}
