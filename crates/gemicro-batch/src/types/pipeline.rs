//! `pipeline`: a child run that takes a coding task to a reviewed, tested branch.

use gemicro_core::ask::{AgentName, TaskGrant};
use gemicro_core::flow::Step;
use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::child_run::{RUN_STEP, RunInput, RunRequest, run_step, shape, with_grant};
use super::folder::inside;
use super::parameters::{ParameterError, read, require_text};
use super::task_type::{TaskContext, TaskType};

pub(super) const TYPE: TaskType = TaskType {
    name: "pipeline",
    description: "Takes a coding task to a reviewed, tested branch, by the project's workflow.",
    step_kind: RUN_STEP,
    bound: None,
    schema: || schema_for!(PipelineParameters).to_value(),
    make,
    shape,
    granted: Some(with_grant),
};

/// Parameters of a task of type `pipeline`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PipelineParameters {
    /// The task for the agents.
    pub task: String,
    /// How the task starts: `bugfix`, `research` or `direct`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<PipelineEntry>,
    /// The checkout: a folder inside the folder of the batch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
    /// The branch; it begins with `task/`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// The agent for roles that name none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentName>,
    /// The model of that agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Whether to push the branch and offer it for review, if there is a remote; default false.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub push: bool,
}

/// The first phase of a coding task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PipelineEntry {
    /// Starts by finding the bug.
    Bugfix,
    /// Starts with research.
    Research,
    /// Starts with planning.
    Direct,
}

fn make(parameters: &Value, making: TaskContext<'_>) -> Result<Step, ParameterError> {
    let mut it: PipelineParameters = read(parameters)?;
    require_text(&it.task, "/task")?;
    if let Some(branch) = &it.branch
        && !branch.starts_with("task/")
    {
        return Err(ParameterError::new("/branch", "must begin with `task/`"));
    }
    let directory = inside(&making.settings.directory, it.directory.as_deref(), "/directory")?;
    it.directory = None;
    let input = RunInput {
        request: RunRequest::Pipeline(it),
        directory,
        llm: making.llm(),
        grant: TaskGrant::default(),
    };
    Ok(run_step(&input, making))
}
