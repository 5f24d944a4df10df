//! Turns requests into plans, and carries out steps on this machine.
//!
//! [`plans`] resolves the requests of the CLI and the servers; a [`Plan`] can be printed before anything happens. All
//! executors except those of research and of models are here, and [`StepParts`] registers them. `pipeline` runs
//! gemicro's own steps of a pipeline, `merge_queue` those of a merge queue, `ooda` those of a loop on its branch, `memory` searches `AGENT_MEMORY.md`,
//! conversations and runs, `shell` runs commands of batches in the sandbox, and `bounded_executor` limits concurrent
//! steps of one kind. Agents are in `gemicro-agents`; the flows decide which steps run.

mod bounded_executor;
mod branch_steps;
mod child_plan;
mod memory;
pub mod merge_queue;
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
