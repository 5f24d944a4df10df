//! The workflow file: phases, roles, edges, limits and checks.
//!
//! [`parse`] reads a file and rejects bad workflows before they cost anything. It reports all problems at once, each
//! with its line. Nothing here opens a file or runs anything.

mod capability;
mod check;
mod default;
mod entries;
mod error;
mod file;
mod graph;
mod mermaid;
mod model;
mod outcomes;
mod parse;
mod places;
mod prompt;
mod show;
#[cfg(test)]
mod tests;
mod values;
mod workflow_reader;
mod yaml;

pub use capability::{MissingTool, WantedTool, check_for, offers};
pub use check::warnings;
pub use default::{BuiltInWorkflow, default_files, default_workflow};
pub use error::{WorkflowError, WorkflowProblem};
pub use mermaid::show_mermaid;
pub use model::{
    AgentTool, Check, EdgeTarget, NetworkRule, Phase, PhaseWork, PipelineMode, Reads, Role, Workflow, Writes,
};
pub use outcomes::{DONE, outcomes};
pub use parse::{FORMAT_VERSION, parse};
pub use prompt::{HandedOver, PromptContext, PromptError, mark_untrusted, render};
pub use show::show_text;
pub use workflow_reader::WorkflowReader;
