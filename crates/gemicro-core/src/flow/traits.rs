//! The contract of a flow.

use gemicro_event::{AgentUpdate, Event, Failure, Json, Timestamp};

use super::{Decision, Step, StepEnd};
use crate::command::AgentCommand;
use crate::run::RunState;
use crate::store::BoardLine;

/// Pure code that turns a journal into the next steps.
///
/// Folding a prefix twice equals folding it once only through the journal's sequence numbers: `drive`
/// hands each event to `fold` exactly once and in order, so an implementation may simply apply it.
pub trait Flow: Send + Sync {
    /// What the flow remembers; a function of the plan and the events so far.
    type State: Send + Sync;

    /// The flow's name in `run_started`.
    fn name(&self) -> &'static str;

    /// Version of the events this flow writes. A run started with a higher one is left alone.
    fn version(&self) -> u32;

    /// The state before the first event.
    ///
    /// # Errors
    /// When the plan cannot be read.
    fn start(&self, plan: &Json) -> Result<Self::State, Failure>;

    /// Takes one event into account. Unknown kinds are passed over.
    fn fold(&self, state: &mut Self::State, event: &Event);

    /// What to do now. Deciding twice is harmless: keys that were started are ignored.
    fn decide(&self, state: &Self::State, run: &RunState) -> Decision;

    /// Facts to state together with the start of a step's first attempt.
    fn announce(&self, state: &Self::State, step: &Step, at: Timestamp) -> Vec<AgentUpdate>;

    /// Facts to state together with the end of a step, in the same transaction.
    fn describe(&self, state: &Self::State, step: &Step, end: &StepEnd, at: Timestamp) -> Vec<AgentUpdate>;

    /// The lines of the run's board that are new since this was asked last; all of them when it is asked first. A flow
    /// without a board has none.
    fn board(&self, _state: &mut Self::State) -> Vec<BoardLine> {
        Vec::new()
    }

    /// The facts that a command makes which every run does not know. What `cancel` and `answer` do is the driver's.
    ///
    /// # Errors
    /// With the reason why it is not carried out.
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
