//! Re-exports of OODA loops for the edges.

pub use gemicro_batch::coverage::FileScope;
pub use gemicro_batch::ooda::{
    Commands, Decider, OodaActed, OodaFlow, OodaPlan, OodaReaders, OodaState, TimedCommand,
};
pub use gemicro_batch::proposal::{ProposalReaders, TestPrompts};
pub use gemicro_batch::strategy::RankedGap;
