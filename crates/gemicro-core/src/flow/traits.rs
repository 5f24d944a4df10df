//! The contract of a flow.

use gemicro_event::{AgentUpdate, Event, Failure, Json, Timestamp};

use super::{Decision, Step, StepEnd};
use crate::run::RunState;

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
}
