//! OODA loops: their plans, and the steps that measure coverage and try out tests.
//!
//! `gemicro_batch::ooda` decides and judges; here a loop gets its private repository on the task branch, and accepted
//! tests are imported from there, as from any agent.

mod branch_workshop;
mod plan;
mod trials;

pub use plan::ooda_plan;
pub(crate) use trials::{measure, try_test};
