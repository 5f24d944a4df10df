//! Deciding a pipeline: from the journal alone.
//!
//! # Theory of operation
//!
//! One task is one run. The first step makes the branch and runs the checks on its base; then one phase after the other
//! is entered, as the workflow's edges say. In a phase an agent answers (`describe` reads its payload, and it is asked
//! again where there is none), what it did is taken over and held against its claims, gemicro runs the checks itself,
//! writes down what has to be written, and only then does the phase end: `todo` says what is still missing, [`gate()`]
//! what a verdict is worth. Every end is a fact of its own, stated together with the step that led to it, so resuming
//! is folding.

mod current_phase;
mod decide;
mod definition;
mod describe;
mod events;
mod fold;
mod gate;
mod human;
mod pipeline_flow;
mod prompt;
mod request;
mod result;
mod state;
mod todo;

pub use events::{
    BranchMerged, PhaseAnswered, PhaseChecked, PhaseEnded, PhaseImported, PhaseRecorded, PhaseStarted,
    PipelineDelivered, PipelinePrepared, PipelineReaders, register,
};
pub use gate::{GateDecision, Vote, gate};
pub(crate) use human::gate_answer;
pub use human::{is_gate, means_something};
pub use pipeline_flow::PipelineFlow;
pub use state::PipelineState;
