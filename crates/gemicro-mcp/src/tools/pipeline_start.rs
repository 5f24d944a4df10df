//! `pipeline_start`: starts a coding task and answers immediately with the id of its run.

use gemicro_engine::pipeline::workflow::PipelineMode;
use gemicro_engine::{PipelineKind, StartPipelineParameters};
use gemicro_event::{Failure, StreamId};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde::Serialize;
use serde_json::json;

use super::ToolName;
use super::agent::folder;
use super::call::McpToolCall;
use super::schema;
use crate::answer::McpAnswer;
use crate::arguments::Arguments;
use crate::waiting::finish_detached;

const PARAMETERS: [&str; 8] = ["task", "cd", "mode", "branch", "agent", "model", "push", "budget"];

#[derive(Debug, Serialize)]
struct PipelineStarted {
    success: bool,
    tool: &'static str,
    run_id: StreamId,
    /// What to do next, for people.
    result: String,
}

/// The definition of the tool.
pub(super) fn definition() -> Tool {
    let modes = PipelineMode::ALL.map(PipelineMode::as_str);
    let properties = json!({
        "task": { "type": "string", "description": "What is to be done, with all the background" },
        "cd": { "type": "string", "description": "A checkout of a git repository: an absolute path; nothing in it is changed but a new branch" },
        "mode": { "type": "string", "enum": modes, "default": "direct", "description": "Begin with a diagnosis, with research, or with the plan" },
        "branch": { "type": "string", "description": "The branch, which begins with task/; named after the task by default" },
        "agent": { "type": "string", "enum": ["gemini", "claude", "codex"], "description": "Agent for phases without one in the workflow" },
        "model": { "type": "string", "description": "The model of that agent" },
        "push": { "type": "boolean", "default": false, "description": "Push the branch and open a request to merge it" },
        "budget": { "type": "string", "description": "What it may use: tokens 2M, money $5 or time 2h" },
    });
    let description = "Starts a coding pipeline: plan, implementation, tests, review and merge, each by an agent of its \
                       own in a sandbox, on a branch of its own. Answers at once with `run_id`: ask run_status for its \
                       state, and run_result for its result.";
    Tool::new(
        ToolName::PipelineStart.as_str(),
        description,
        schema::object(properties, &["task", "cd"]),
    )
    .with_title("Start a coding pipeline")
    .with_annotations(
        ToolAnnotations::new()
            .read_only(false)
            .destructive(false)
            .open_world(true),
    )
}

pub(super) async fn call(call: &McpToolCall, arguments: Option<JsonObject>) -> McpAnswer {
    let tool = ToolName::PipelineStart.as_str();
    match start(call, arguments).await {
        Ok(run_id) => McpAnswer::success(&PipelineStarted {
            success: true,
            tool,
            result: format!("The pipeline has started. Ask run_status or run_result for run {run_id}."),
            run_id,
        }),
        Err(failure) => McpAnswer::failure(tool, &failure),
    }
}

async fn start(call: &McpToolCall, arguments: Option<JsonObject>) -> Result<StreamId, Failure> {
    let plan = (call.setup.pipeline)(read(arguments)?)?;
    for notice in plan.notices() {
        (call.setup.log)(&notice);
    }
    let (desk, run) = (call.setup.desk.clone(), StreamId::random());
    let id = run.clone();
    finish_detached(call.setup.answer_within, async move {
        desk.start_as(id, plan).await.map(drop)
    })
    .await?;
    Ok(run)
}

fn read(arguments: Option<JsonObject>) -> Result<StartPipelineParameters, Failure> {
    let arguments = Arguments::new(arguments, &PARAMETERS)?;
    let agents = gemicro_core::ask::AgentName::ALL.map(|agent| (agent.as_str(), agent));
    let modes = PipelineMode::ALL.map(|mode| (mode.as_str(), mode));
    Ok(StartPipelineParameters {
        kind: PipelineKind::Pipeline,
        task: arguments.required("task")?,
        directory: folder(&arguments.required("cd")?)?,
        mode: arguments.choice("mode", &modes)?.unwrap_or_default(),
        branch: arguments.text("branch")?,
        agent: arguments.choice("agent", &agents)?,
        model: arguments.text("model")?,
        push: arguments.flag("push")?.unwrap_or(false),
        budget: arguments.text("budget")?,
    })
}
