//! The task types: one file each, with its parameters and its step.
//!
//! | type | step kind | output |
//! |---|---|---|
//! | `prompt` | `llm` | `text`, and `json` where a schema was given |
//! | `research` | `run` | the result of the run, and `run_id` |
//! | `agent` | `agent_cli` | `text`, `session`, … |
//! | `execute_shell_command` | `shell` | `stdout`, `stderr`, `exit_code`, … |
//! | `get_memory_summary` | `memory_search` | `memory_summary`, `sources` |
//! | `query_coverage` | `coverage` | `coverage_data`, `summary`, `reports`, `warnings` |
//! | `propose_test`, `refine_test` | `run` | `patch`, `files`, `verified`, …, and `run_id` |
//! | `propose_strategy` | `run` | `strategy`, `gaps`, …, and `run_id` |
//! | `pipeline` | `run` | `branch`, `commit`, `phases`, …, and `run_id` |
//!
//! To add a type, add its file here, its line in [`TASK_TYPES`], and an executor if its step kind is new.

mod agent;
mod child_run;
mod execute_shell_command;
mod expected_exit;
mod folder;
mod get_memory_summary;
mod messages;
mod parameters;
mod pipeline;
mod prompt;
mod propose_strategy;
mod propose_test;
mod query_coverage;
mod refine_test;
mod research;
mod settings;
mod task_type;

pub use agent::AgentParameters;
pub use child_run::{RUN_STEP, RunInput, RunOutput, RunRequest};
pub(crate) use execute_shell_command::output_of_failure;
pub use execute_shell_command::{
    DEFAULT_TIMEOUT_SECONDS, MAX_TIMEOUT_SECONDS, SHELL_STEP, ShellInput, ShellOutput, ShellParameters,
};
pub use expected_exit::ExpectedExit;
pub use get_memory_summary::{
    MEMORY_STEP, MemoryInput, MemoryOutput, MemoryParameters, MemoryPlace, MemorySource,
};
pub use messages::{ChatMessage, ChatRole};
pub use parameters::ParameterError;
pub use pipeline::{PipelineEntry, PipelineParameters};
pub use prompt::PromptParameters;
pub use propose_strategy::{StrategyParameters, StrategyRequest};
pub use propose_test::{ProposalRequest, ProposeTestParameters};
pub use query_coverage::{CoverageInput, CoverageOutput, CoverageParameters};
pub use refine_test::{RefineTestParameters, RefinementRequest};
pub use research::ResearchParameters;
pub use settings::BatchSettings;
pub use task_type::{TASK_TYPES, TaskContext, TaskType, task_type};
