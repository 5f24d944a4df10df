//! The events of the library's face, and what the last event of a research run holds.

pub use gemicro_event::AgentUpdate;

pub use crate::research::events::{FinalResult, ResultMetadata};
