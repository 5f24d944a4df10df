//! `run_cancel`: cancels a run.

use gemicro_core::ask::minutes;
use gemicro_engine::CancelOutcome;
use gemicro_event::{ErrorKind, Failure};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::ToolName;
use super::call::McpToolCall;
use super::schema;
use crate::answer::McpAnswer;
use crate::arguments::Arguments;
use crate::waiting::finish_detached;

/// The definition of the tool.
pub(super) fn definition() -> Tool {
    let properties = json!({
        "run_id": schema::run_id(),
        "reason": { "type": "string", "description": "Why, for the journal" },
    });
    let description = "Ends a run permanently, with everything it started. `outcome` is cancelled, requested (it \
                       has not answered yet) or already_ended.";
    let schema = schema::object(properties, &["run_id"]);
    Tool::new(ToolName::RunCancel.as_str(), description, schema)
        .with_title("Cancel a run")
        .with_annotations(
            ToolAnnotations::new()
                .read_only(false)
                .destructive(true)
                .idempotent(true)
                .open_world(false),
        )
}

pub(super) async fn call(call: &McpToolCall, arguments: Option<JsonObject>) -> McpAnswer {
    match cancel(call, arguments).await {
        Ok(value) => McpAnswer::success(&value),
        Err(failure) => McpAnswer::failure(ToolName::RunCancel.as_str(), &failure),
    }
}

async fn cancel(call: &McpToolCall, arguments: Option<JsonObject>) -> Result<Value, Failure> {
    let arguments = Arguments::new(arguments, &["run_id", "reason"])?;
    let named = arguments.required("run_id")?;
    let reason = arguments.text("reason")?.unwrap_or_default();
    let within = call.setup.answer_within;
    let desk = call.setup.desk.clone();
    let row = finish_detached(within, async move { desk.find(&named).await }).await?;
    let (desk, run) = (call.setup.desk.clone(), row.run.clone());
    let outcome = finish_detached(within, async move { desk.cancel(&run, &reason).await }).await;
    let outcome = match outcome {
        Ok(CancelOutcome::Cancelled) => "cancelled",
        Ok(CancelOutcome::AlreadyEnded) => "already_ended",
        Ok(CancelOutcome::Requested) => "requested",
        // The cancellation continues in the background.
        Err(failure) if failure.kind == ErrorKind::Timeout => "requested",
        Err(failure) => return Err(failure),
    };
    Ok(json!({
        "success": true,
        "tool": ToolName::RunCancel.as_str(),
        "run_id": row.run,
        "outcome": outcome,
        "duration": minutes(call.began.elapsed()),
    }))
}
