//! What touches this machine: requests become plans, and steps are carried out.
//!
//! [`plans`] resolves what an edge hands in. Every executor beside those of research and of models is here, and
//! [`StepParts`] registers them. `pipeline` carries out what a pipeline does itself, `ooda` gives a loop its branch,
//! `memory` searches what is remembered, `shell` runs commands of batches in the sandbox, and `bounded` lets only so
//! many of one kind run at the same time. Agents themselves are in `gemicro-agents`; which steps there are is decided
//! by the flows.

mod bounded;
mod memory;
pub mod ooda;
pub mod pipeline;
pub mod plans;
mod shell;
mod step_parts;

pub use bounded::Bounded;
pub use step_parts::StepParts;
