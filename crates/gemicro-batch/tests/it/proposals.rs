//! Tests that a model proposes: what it is shown and asked, and what becomes of its answer.

mod call;
#[cfg(target_os = "linux")]
mod checks;
mod events;
mod flow;
mod journal;
mod material;
mod nearest;
mod prompts;

pub(crate) use journal::{Journal, event, started};
