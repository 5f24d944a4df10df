//! Re-exports of coding pipelines for the edges.

pub use gemicro_pipeline::flow::INSTRUCT;
pub use gemicro_pipeline::forge::Forges;
pub use gemicro_pipeline::plan::PipelinePlan;
pub use gemicro_pipeline::workflow::WorkflowReader;
pub use gemicro_pipeline::{flow, forge, payload, steps, workflow};
pub use gemicro_steps::pipeline::{Outlook, found_checks, later_run, outlook};
