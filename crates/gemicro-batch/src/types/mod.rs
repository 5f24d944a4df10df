//! The task types: one file each, with its parameters and the step that carries it out.
//!
//! | type | step kind | output |
//! |---|---|---|
//! | `prompt` | `llm` | `text`, and `json` where a schema was given |
//! | `research` | `run` | the result of the run, and `run_id` |
//! | `agent` | `agent_cli` | `text`, `session`, … |
//! | `execute_shell_command` | `shell` | `stdout`, `stderr`, `exit_code`, … |
//! | `get_memory_summary` | `memory_search` | `memory_summary`, `sources` |
//!
//! Adding a type: its file here, its line in [`TASK_TYPES`], and an executor for its step kind where there is none.

mod agent;
mod execute_shell_command;
mod folder;
mod get_memory_summary;
mod parameters;
mod prompt;
mod research;
mod settings;
mod task_type;

pub use agent::AgentParameters;
pub use execute_shell_command::{
    DEFAULT_TIMEOUT_SECONDS, MAX_TIMEOUT_SECONDS, SHELL_STEP, ShellInput, ShellOutput, ShellParameters,
};
pub use get_memory_summary::{
    MEMORY_STEP, MemoryInput, MemoryOutput, MemoryParameters, MemoryPlace, MemorySource,
};
pub use parameters::ParameterError;
pub use prompt::PromptParameters;
pub use research::{RUN_STEP, ResearchParameters, RunInput, RunOutput, RunRequest};
pub use settings::BatchSettings;
pub use task_type::{Making, TASK_TYPES, TaskType, task_type};
