//! One question to a model, without tools: a turn of a conversation, a summary, an item of a batch.

mod definition;
mod events;
mod flow;

pub use events::{ModelAnswered, PromptReaders, register};
pub use flow::{Earlier, ModelTask, NATIVE_STEP, PromptFlow, WHOLE_STEP};
