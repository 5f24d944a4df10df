//! What touches this machine: requests become plans, and steps are carried out.
//!
//! [`plans`] resolves what an edge hands in; a [`Plan`] is what will be done, printable before anything happens. Every executor beside those of research and of models is here, and
//! [`StepParts`] registers them. `pipeline` carries out what a pipeline does itself, `ooda` gives a loop its branch,
//! `memory` searches what is remembered, `shell` runs commands of batches in the sandbox, and `bounded_executor` lets only so
//! many of one kind run at the same time. Agents themselves are in `gemicro-agents`; which steps there are is decided
//! by the flows.

mod bounded_executor;
mod branch_steps;
mod child_plan;
mod memory;
pub mod ooda;
pub mod pipeline;
mod plan;
pub mod plans;
mod shell;
mod step_parts;
mod upkeep;

pub use bounded_executor::BoundedExecutor;
pub use child_plan::child_plan;
pub use plan::Plan;
pub use step_parts::StepParts;
pub use upkeep::{sweep_indexes, sweep_leftovers};
