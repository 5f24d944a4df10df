//! Who measures and tries out for OODA loops.
//!
//! `gemicro_batch::ooda` decides and judges; here a loop gets its private repository on the task branch, and what it
//! accepted is taken over from there, as from any agent.

mod branch_workshop;
mod executor;

pub(crate) use executor::OodaSteps;
