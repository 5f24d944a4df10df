//! What edges need of coding pipelines.

use gemicro_event::{Event, Failure};
use gemicro_pipeline::flow::PipelineFlow;
pub use gemicro_pipeline::forge::Forges;
pub use gemicro_pipeline::plan::PipelinePlan;
pub use gemicro_pipeline::workflow::WorkflowReader;
pub use gemicro_pipeline::{flow, forge, payload, steps, workflow};
use gemicro_steps::pipeline::retry_plan;
pub use gemicro_steps::pipeline::{Outlook, found_checks, later_run, outlook};

use crate::Plan;

/// The plan of a run that enters a phase of an earlier one again, from its journal. Without a name it is the phase
/// that can fix what that run ended with.
///
/// # Errors
/// When the run is no pipeline, got no branch, or has no such phase.
pub fn retry_from(events: &[Event], phase: Option<&str>) -> Result<Plan, Failure> {
    let (plan, limits) = retry_plan(events, phase)?;
    Ok(Plan::new(&PipelineFlow, &plan, limits))
}
