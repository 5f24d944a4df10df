//! `run_pause` and `run_resume`: suspend a run, and continue it.

use gemicro_core::ask::minutes;
use gemicro_engine::{PauseOutcome, pause};
use gemicro_event::{ErrorKind, Failure};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::ToolName;
use super::call::McpToolCall;
use super::schema;
use crate::answer::McpAnswer;
use crate::arguments::Arguments;
use crate::waiting::finish_detached;

pub(super) fn definition() -> Tool {
    let description = "Suspends a run; run_resume continues it, and what its steps completed is kept. `outcome` is paused, \
                       already_paused, requested (its steps have not stopped yet) or already_ended.";
    tool(ToolName::RunPause, "Pause a run", description)
}

pub(super) fn resume_definition() -> Tool {
    let description = "Continues a run that was paused or cut off. Then ask run_status or run_result.";
    tool(ToolName::RunResume, "Resume a run", description)
}

fn tool(name: ToolName, title: &str, description: &'static str) -> Tool {
    let schema = schema::object(json!({ "run_id": schema::run_id() }), &["run_id"]);
    Tool::new(name.as_str(), description, schema)
        .with_title(title)
        .with_annotations(
            ToolAnnotations::new()
                .read_only(false)
                .destructive(false)
                .idempotent(true)
                .open_world(false),
        )
}

pub(super) async fn call(call: &McpToolCall, arguments: Option<JsonObject>) -> McpAnswer {
    match pause_run(call, arguments).await {
        Ok(value) => McpAnswer::success(&value),
        Err(failure) => McpAnswer::failure(ToolName::RunPause.as_str(), &failure),
    }
}

pub(super) async fn resume_call(call: &McpToolCall, arguments: Option<JsonObject>) -> McpAnswer {
    match resume_run(call, arguments).await {
        Ok(value) => McpAnswer::success(&value),
        Err(failure) => McpAnswer::failure(ToolName::RunResume.as_str(), &failure),
    }
}

async fn pause_run(call: &McpToolCall, arguments: Option<JsonObject>) -> Result<Value, Failure> {
    let named = run_id(arguments)?;
    let desk = call.setup.desk.clone();
    let paused = finish_detached(call.setup.answer_within, async move {
        let run = desk.find(&named).await?.run;
        let outcome = pause(desk.as_ref(), &run).await?;
        Ok((run, outcome))
    });
    let (run, outcome) = paused.await?;
    let outcome = match outcome {
        PauseOutcome::Paused => "paused",
        PauseOutcome::AlreadyPaused => "already_paused",
        PauseOutcome::Requested => "requested",
        PauseOutcome::AlreadyEnded => "already_ended",
    };
    Ok(json!({
        "success": true,
        "tool": ToolName::RunPause.as_str(),
        "run_id": run,
        "outcome": outcome,
        "duration": minutes(call.began.elapsed()),
    }))
}

async fn resume_run(call: &McpToolCall, arguments: Option<JsonObject>) -> Result<Value, Failure> {
    let named = run_id(arguments)?;
    let desk = call.setup.desk.clone();
    let resumed = finish_detached(call.setup.answer_within, async move {
        let row = desk.find(&named).await?;
        if row.status.is_terminal() {
            let status = row.status.as_str();
            let message = format!("run {} has ended ({status}); there is nothing to resume", row.run);
            return Err(Failure::new(ErrorKind::Conflict, message));
        }
        desk.resume(&row.run).await?;
        desk.find(row.run.as_str()).await
    });
    let row = resumed.await?;
    Ok(json!({
        "success": true,
        "tool": ToolName::RunResume.as_str(),
        "run_id": row.run,
        "status": row.status,
        "duration": minutes(call.began.elapsed()),
    }))
}

fn run_id(arguments: Option<JsonObject>) -> Result<String, Failure> {
    Arguments::new(arguments, &["run_id"])?.required("run_id")
}
