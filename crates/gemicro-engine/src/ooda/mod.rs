//! OODA loops: their plans, and what edges need of them.

mod plan;

pub use gemicro_batch::coverage::Scope;
pub use gemicro_batch::ooda::{Commands, Decider, OodaActed, OodaFlow, OodaReaders, OodaState, Order};
pub use gemicro_batch::proposal::ProposalReaders;
pub use gemicro_batch::strategy::RankedGap;
