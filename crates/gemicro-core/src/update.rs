//! Re-exports the events of the library's public interface, and the final result of a research run.

pub use gemicro_event::AgentUpdate;

pub use crate::research::events::{FinalResult, ResultMetadata};
