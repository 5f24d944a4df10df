//! OODA loops: their plans, and who measures and tries out for them.
//!
//! `gemicro_batch::ooda` decides and judges; here a loop gets its private repository on the task branch, and what it
//! accepted is taken over from there, as from any agent.

mod branch_workshop;
mod plan;
mod trials;

pub use plan::ooda_plan;
pub(crate) use trials::{measure, try_test};
