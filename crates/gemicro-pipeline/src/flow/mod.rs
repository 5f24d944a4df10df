//! Decides the steps of a pipeline from its journal.
//!
//! # Theory of operation
//!
//! One task is one run. The first step creates the branch and runs the checks on its base. Then the workflow's edges
//! lead from phase to phase. In a phase an agent answers (`describe` reads its payload, and asks again if there is
//! none), its changes are imported and compared with its claims, gemicro runs the checks itself and writes its own
//! documents. Only then does the phase end: `todo` determines what is missing, and [`gate()`] whether a verdict
//! counts. The end of a phase is an event of its own, recorded with the step that led to it, so a run is resumed by
//! replaying its events.

mod current_phase;
mod decide;
mod definition;
mod describe;
mod events;
mod feedback;
mod fold;
mod gate;
mod human;
mod owner;
mod pipeline_flow;
mod project_memory;
mod prompt;
mod request;
mod result;
mod state;
mod todo;

pub use events::{
    BranchMerged, OwnerInstructed, OwnerNotesChanged, PhaseAnswered, PhaseChecked, PhaseEnded, PhaseImported,
    PhaseRecorded, PhaseStarted, PipelineDelivered, PipelinePrepared, PipelineReaders, register,
};
pub use gate::{GateDecision, Vote, gate};
pub(crate) use human::gate_answer;
pub use human::{is_gate, means_something};
pub use owner::INSTRUCT;
pub use pipeline_flow::PipelineFlow;
pub use state::PipelineState;
