//! Turns requests into plans: resolves them against this machine and checks them. Nothing is started.
//!
//! [`Request`] is the input from the CLI and the servers. The plan of a loop is made in `ooda`, that of a pipeline in
//! `pipeline`.

mod ask;
mod batch;
mod checks;
mod prompt;
mod request;
mod research;
mod start_parameters;
mod test_plans;

pub use ask::ask_plan;
pub use batch::BatchRequest;
pub use checks::folder;
pub(crate) use checks::{current, task_branch};
pub use prompt::prompt_plan;
pub use request::{
    AskRequest, Backend, ConversationTurn, MergeQueueRequest, OodaRequest, PipelineRequest, PromptRequest,
    Request, ResearchRequest,
};
pub use research::research_plan;
pub use start_parameters::{
    BUDGET, PipelineKind, ResearchKind, StartPipelineParameters, StartResearchParameters, TASK_BRANCH,
};
pub use test_plans::{proposal, refinement, strategy};
