//! One prompt for one coding agent.
//!
//! [`AgentTask`] is a step that an agent CLI carries out, in any flow. [`AskFlow`] is the smallest such flow: one task
//! and its answer.

mod definition;
mod events;
mod flow;
mod metrics;
mod route;
mod task;
mod template;
mod tool;

pub use events::{
    AgentAnswered, AgentNoise, AgentStarted, AskReaders, RepositoryChange, RepositoryChanged, ToolCalled,
    ToolEnd, ToolEnded, register,
};
pub use flow::{AskFlow, AskPlan};
pub use metrics::ToolMetrics;
pub(crate) use route::backend_of_model;
pub use route::{AgentRoute, route};
pub use task::{
    AGENT_STEP, AGENT_TEXT_STEP, AgentAnswer, AgentName, AgentTask, BranchOutcome, DeniedCall, SandboxMode,
    TaskGrant, agent_step,
};
pub use template::{FormLanguage, InjectedText, PromptForm, TemplateKind, TemplateParts};
pub use tool::{AgentTrouble, ToolAnswer, ToolErrorDetail, ToolExtras, ToolFailure, ToolSuccess, minutes};
