//! A flow with its state as a trait object, so that the driver is compiled only once.

use gemicro_event::{AgentUpdate, Event, Failure, Json, Timestamp};

use crate::command::AgentCommand;
use crate::flow::{Decision, Flow, Step, StepEnd};
use crate::run::RunState;
use crate::store::BoardLine;

/// [`Flow`] with its state type erased.
pub(super) trait DynFlow: Send + Sync {
    fn name(&self) -> &'static str;
    fn version(&self) -> u32;
    fn start<'f>(&'f self, plan: &Json) -> Result<Box<dyn LiveFlow + 'f>, Failure>;
}

/// A flow and the state of one run; the methods are those of [`Flow`].
pub(super) trait LiveFlow: Send + Sync {
    fn fold(&mut self, event: &Event);
    fn decide(&self, run: &RunState) -> Decision;
    fn announce(&self, step: &Step, at: Timestamp) -> Vec<AgentUpdate>;
    fn describe(&self, step: &Step, end: &StepEnd, at: Timestamp) -> Vec<AgentUpdate>;
    fn board(&mut self) -> Vec<BoardLine>;
    fn handle_command(&self, command: &AgentCommand, at: Timestamp) -> Result<Vec<AgentUpdate>, String>;
}

impl<F: Flow> DynFlow for F {
    fn name(&self) -> &'static str {
        Flow::name(self)
    }

    fn version(&self) -> u32 {
        Flow::version(self)
    }

    fn start<'f>(&'f self, plan: &Json) -> Result<Box<dyn LiveFlow + 'f>, Failure> {
        let state = Flow::start(self, plan)?;
        Ok(Box::new(WithState { flow: self, state }))
    }
}

struct WithState<'f, F: Flow> {
    flow: &'f F,
    state: F::State,
}

impl<F: Flow> LiveFlow for WithState<'_, F> {
    fn fold(&mut self, event: &Event) {
        self.flow.fold(&mut self.state, event);
    }

    fn decide(&self, run: &RunState) -> Decision {
        self.flow.decide(&self.state, run)
    }

    fn announce(&self, step: &Step, at: Timestamp) -> Vec<AgentUpdate> {
        self.flow.announce(&self.state, step, at)
    }

    fn describe(&self, step: &Step, end: &StepEnd, at: Timestamp) -> Vec<AgentUpdate> {
        self.flow.describe(&self.state, step, end, at)
    }

    fn board(&mut self) -> Vec<BoardLine> {
        self.flow.board(&mut self.state)
    }

    fn handle_command(&self, command: &AgentCommand, at: Timestamp) -> Result<Vec<AgentUpdate>, String> {
        self.flow.handle_command(&self.state, command, at)
    }
}
