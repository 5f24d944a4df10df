//! One question to a model, without tools: a turn of a conversation, a summary, an item of a batch.

mod definition;
mod events;
mod flow;

pub use events::{PromptReaders, register};
pub use flow::{Earlier, ModelTask, PromptFlow};
