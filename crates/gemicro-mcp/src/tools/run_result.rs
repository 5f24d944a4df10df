//! `run_result`: the result of a run, in the form of the tool that started it.

use std::time::Duration;

use gemicro_event::{Failure, RunStatus};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::json;

use super::ToolName;
use super::call::{McpToolCall, withdrawn};
use super::schema;
use crate::answer::McpAnswer;
use crate::arguments::Arguments;
use crate::run_answer;
use crate::waiting::{WaitOutcome, wait};

/// Maximum wait in seconds: an hour, longer than any call may take.
const MAX_WAIT_S: u32 = 3_600;

/// The definition of the tool.
pub(super) fn definition() -> Tool {
    let properties = json!({
        "run_id": schema::run_id(),
        "wait_s": {
            "type": "integer", "minimum": 0, "maximum": MAX_WAIT_S,
            "description": "Seconds to wait for the end, as long as a call may take; by default that long",
        },
    });
    let description = "Fetches the answer of a run, in the shape of the tool that started it. Waits for it; \
                       error_kind `still_running` means: call again.";
    let schema = schema::object(properties, &["run_id"]);
    Tool::new(ToolName::RunResult.as_str(), description, schema)
        .with_title("Result of a run")
        .with_annotations(ToolAnnotations::new().read_only(true).open_world(false))
}

/// Waits for a run and returns its answer.
pub(super) async fn call(call: McpToolCall, arguments: Option<JsonObject>) -> McpAnswer {
    match result(call, arguments).await {
        Ok(answer) => answer,
        Err(failure) => McpAnswer::failure(ToolName::RunResult.as_str(), &failure),
    }
}

async fn result(mut call: McpToolCall, arguments: Option<JsonObject>) -> Result<McpAnswer, Failure> {
    let arguments = Arguments::new(arguments, &["run_id", "wait_s"])?;
    let named = arguments.required("run_id")?;
    let within = match arguments.number("wait_s", 0..=MAX_WAIT_S)? {
        Some(seconds) => call
            .setup
            .answer_within
            .min(Duration::from_secs(u64::from(seconds))),
        None => call.setup.answer_within,
    };
    let (row, events) = call.look_up(named).await?;
    match row.status {
        // A suspended run does not continue by itself.
        RunStatus::Completed
        | RunStatus::Failed
        | RunStatus::Cancelled
        | RunStatus::Interrupted
        | RunStatus::Suspended => return Ok(run_answer::ended_answer(&events)),
        RunStatus::Running | RunStatus::Parked => {}
    }
    call.progress.known_to(row.n_events);
    let watching = call.setup.desk.watch(&row.run).await?;
    let patience = call.patience(within);
    Ok(match wait(watching, &patience, &mut call.progress).await {
        WaitOutcome::Ended(events) => run_answer::ended_answer(&events),
        WaitOutcome::GoesOn(_, _) => run_answer::goes_on(&row.run, &events),
        // Cancelling this call does not cancel the run.
        WaitOutcome::Withdrawn => withdrawn(ToolName::RunResult.as_str()),
    })
}
