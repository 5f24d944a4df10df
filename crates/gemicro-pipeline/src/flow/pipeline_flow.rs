//! Connects pipelines to the driver that runs flows.

use gemicro_core::command::AgentCommand;
use gemicro_core::flow::{Decision, Flow, Step, StepEnd, read_plan};
use gemicro_core::run::RunState;
use gemicro_event::{AgentUpdate, Event, Failure, Json, Timestamp};

use super::decide::decide;
use super::describe::{announce, describe};
use super::owner::handle_command;
use super::state::PipelineState;

/// The flow that decides coding pipelines.
#[derive(Debug, Clone, Copy, Default)]
pub struct PipelineFlow;

impl Flow for PipelineFlow {
    type State = PipelineState;

    fn name(&self) -> &'static str {
        "pipeline"
    }

    fn version(&self) -> u32 {
        1
    }

    fn start(&self, plan: &Json) -> Result<PipelineState, Failure> {
        Ok(PipelineState::new(read_plan(plan)?))
    }

    fn fold(&self, state: &mut PipelineState, event: &Event) {
        state.fold(event);
    }

    fn decide(&self, state: &PipelineState, run: &RunState) -> Decision {
        decide(state, run)
    }

    fn handle_command(
        &self,
        state: &PipelineState,
        command: &AgentCommand,
        at: Timestamp,
    ) -> Result<Vec<AgentUpdate>, String> {
        handle_command(state, command, at)
    }

    fn announce(&self, state: &PipelineState, step: &Step, at: Timestamp) -> Vec<AgentUpdate> {
        announce(state, step, at)
    }

    fn describe(&self, state: &PipelineState, step: &Step, end: &StepEnd, at: Timestamp) -> Vec<AgentUpdate> {
        describe(state, step, end, at)
    }
}
