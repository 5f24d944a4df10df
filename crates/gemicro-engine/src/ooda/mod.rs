//! OODA loops: their plans, and who measures and tries out for them.
//!
//! `gemicro_batch::ooda` decides and judges; here a loop gets its private repository on the task branch, and what it
//! accepted is taken over from there, as from any agent.

mod branch_workshop;
mod executor;
mod plan;

pub(crate) use executor::OodaSteps;
pub use gemicro_batch::coverage::Scope;
pub use gemicro_batch::ooda::{Commands, Decider, OodaActed, OodaFlow, OodaReaders, OodaState, Order};
pub use gemicro_batch::proposal::ProposalReaders;
pub use gemicro_batch::strategy::RankedGap;
