//! One prompt to a model: a turn of a conversation, or a summary. In a long conversation the model may look up turns
//! first.

mod definition;
mod events;
mod flow;
mod model_task;
mod recall;

pub use events::{PromptReaders, register};
pub use flow::PromptFlow;
pub use model_task::{Earlier, ModelTask};
pub use recall::{RECALL_STEP, RecallExecutor};
