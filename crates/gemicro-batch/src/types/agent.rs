//! `agent`: one prompt for a coding agent.

use gemicro_core::ask::{AGENT_STEP, AgentName, AgentTask, SandboxMode, TaskGrant, agent_step, route};
use gemicro_core::budget::Purpose;
use gemicro_core::flow::Step;
use schemars::{JsonSchema, schema_for};
use serde::Deserialize;
use serde_json::Value;

use super::folder::inside;
use super::parameters::{ParameterError, milliseconds, read, require_text};
use super::task_type::{TaskContext, TaskType, as_it_is};

/// Maximum time for one agent, in seconds.
const MAX_SECONDS: u64 = 24 * 3_600;

pub(super) const TYPE: TaskType = TaskType {
    name: "agent",
    description: "Gives a coding agent one prompt and returns its answer.",
    step_kind: AGENT_STEP,
    bound: None,
    schema: || schema_for!(AgentParameters).to_value(),
    make,
    shape: as_it_is,
    granted: Some(with_grant),
};

/// Parameters of a task of type `agent`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentParameters {
    /// The prompt for the agent.
    pub prompt: String,
    /// The agent; by default one that has the model.
    #[serde(default)]
    pub agent: Option<AgentName>,
    /// The model; by default the agent's own.
    #[serde(default)]
    pub model: Option<String>,
    /// Its working folder, inside the folder of the batch; by default that folder.
    #[serde(default)]
    pub directory: Option<String>,
    /// Its write access. Agents in a batch always run in a sandbox.
    #[serde(default)]
    pub sandbox: SandboxMode,
    /// Whether its tools run without approval inside the sandbox.
    #[serde(default)]
    pub yolo: bool,
    /// The session to continue.
    #[serde(default)]
    pub session: Option<String>,
    /// The branch of the folder's repository that it works on, in a private copy; it begins with `task/`.
    #[serde(default)]
    pub branch: Option<String>,
    /// Seconds of silence after which it is stopped.
    #[serde(default)]
    pub idle_seconds: Option<u64>,
    /// Maximum total time in seconds.
    #[serde(default)]
    pub timeout_seconds: Option<u64>,
}

fn make(parameters: &Value, making: TaskContext<'_>) -> Result<Step, ParameterError> {
    let it: AgentParameters = read(parameters)?;
    let settings = making.settings;
    require_text(&it.prompt, "/prompt")?;
    if it.sandbox == SandboxMode::DangerFullAccess {
        let message = "an agent of a batch works in a sandbox: read-only or workspace-write";
        return Err(ParameterError::new("/sandbox", message));
    }
    if it
        .branch
        .as_ref()
        .is_some_and(|branch| !branch.starts_with("task/"))
    {
        return Err(ParameterError::new("/branch", "must begin with `task/`"));
    }
    let route = route(it.agent, it.model.as_deref())
        .map_err(|failure| ParameterError::new("/model", failure.message))?;
    let within = |seconds: Option<u64>, usual: u64, place: &str| match seconds {
        None => Ok(usual),
        Some(seconds) => milliseconds(seconds, MAX_SECONDS, place),
    };
    let task = AgentTask {
        retold: None,
        asks: false,
        begins_anew: false,
        agent: route.agent,
        model: route.model,
        prompt: it.prompt,
        directory: inside(&settings.directory, it.directory.as_deref(), "/directory")?,
        sandbox: it.sandbox,
        yolo: it.yolo,
        session: it.session,
        idle_ms: within(it.idle_seconds, settings.agent_idle_ms, "/idle_seconds")?,
        total_ms: within(it.timeout_seconds, settings.agent_total_ms, "/timeout_seconds")?,
        grant: TaskGrant::default(),
        recalls: None,
        fails_over: false,
        keep_messages: false,
        branch: it.branch,
    };
    let max_attempts = making.retry().max_attempts;
    Ok(agent_step(making.key, &task, Purpose::Ordinary, max_attempts))
}

fn with_grant(step: Step, grant: TaskGrant) -> Step {
    let Ok(task) = step.input.parse::<AgentTask>() else {
        return step;
    };
    let task = AgentTask { grant, ..task };
    agent_step(step.key, &task, step.purpose, step.retry.max_attempts)
}
