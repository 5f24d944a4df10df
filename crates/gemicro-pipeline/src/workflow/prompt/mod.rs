//! Renders prompts from a template and the inputs of a step.

mod context;
mod error;
mod render;
mod sample;
mod untrusted;

pub use context::{HandedOver, PromptContext};
pub use error::PromptError;
pub use render::render;
pub(super) use render::{ENDING_FILE, RULES_FILE, inspect};
pub(super) use sample::try_out;
#[cfg(test)]
pub(super) use sample::{bare, full};
pub use untrusted::mark_untrusted;
