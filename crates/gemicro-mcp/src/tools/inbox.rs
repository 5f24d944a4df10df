//! `inbox`: everything that waits for a person.

use gemicro_event::Failure;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::ToolName;
use super::call::McpToolCall;
use super::schema;
use crate::answer::McpAnswer;
use crate::arguments::Arguments;
use crate::waiting::finish_detached;

pub(super) fn definition() -> Tool {
    let description = "Lists the questions of all runs that wait for a person, newest first, each with the command that \
                       answers it. Only a person may answer: show them the question and the command.";
    Tool::new(
        ToolName::Inbox.as_str(),
        description,
        schema::object(json!({}), &[]),
    )
    .with_title("What waits for a person")
    .with_annotations(ToolAnnotations::new().read_only(true).open_world(false))
}

pub(super) async fn call(call: &McpToolCall, arguments: Option<JsonObject>) -> McpAnswer {
    match inbox(call, arguments).await {
        Ok(value) => McpAnswer::success(&value),
        Err(failure) => McpAnswer::failure(ToolName::Inbox.as_str(), &failure),
    }
}

async fn inbox(call: &McpToolCall, arguments: Option<JsonObject>) -> Result<Value, Failure> {
    Arguments::new(arguments, &[])?;
    let desk = call.setup.desk.clone();
    let entries = finish_detached(call.setup.answer_within, async move { desk.inbox().await }).await?;
    Ok(json!({ "success": true, "tool": ToolName::Inbox.as_str(), "entries": entries }))
}
