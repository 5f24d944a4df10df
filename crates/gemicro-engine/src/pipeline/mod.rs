//! Coding pipelines: their plans, and what edges need of them.
//!
//! `plan` resolves a request; `retry` makes the plan that goes on where an earlier run ended.

mod plan;
mod retry;

pub use gemicro_pipeline::forge::Forges;
pub use gemicro_pipeline::workflow::WorkflowReader;
pub use gemicro_pipeline::{flow, forge, payload, steps, workflow};
pub use gemicro_steps::pipeline::{Outlook, found_checks, outlook};
pub use retry::{later_run, retry_from};
