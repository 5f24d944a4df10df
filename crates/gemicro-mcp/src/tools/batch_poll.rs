//! `batch_poll`: the state of a batch.

use std::time::Duration;

use gemicro_engine::{Batches, BoardPage};
use gemicro_event::Failure;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::json;

use super::ToolName;
use super::batch_answer::BatchSuccess;
use super::call::{McpToolCall, withdrawn};
use super::schema;
use crate::answer::McpAnswer;
use crate::arguments::Arguments;
use crate::waiting::finish_detached;

/// Maximum wait in seconds; less than the time within which a call is answered.
const MAX_WAIT_S: u32 = 40;
/// Upper bound of `offset` and `limit`; more tasks than a batch can have.
const MAX_TASKS: u32 = 100_000;

/// The definition of the tool.
pub(super) fn definition() -> Tool {
    let properties = json!({
        "response_id": { "type": "string", "description": "The batch's id, as batch_submit named it" },
        "wait_seconds": {
            "type": "integer", "minimum": 0, "maximum": MAX_WAIT_S, "default": 0,
            "description": "Seconds to wait for the last task, instead of asking often",
        },
        "fields": {
            "type": "string", "enum": ["all", "counts"], "default": "all",
            "description": "counts: only how many tasks are in which state; `results` is then empty",
        },
        "offset": { "type": "integer", "minimum": 0, "maximum": MAX_TASKS, "default": 0, "description": "Number of results to skip, for a large batch" },
        "limit": { "type": "integer", "minimum": 1, "maximum": MAX_TASKS, "description": "Maximum number of results; counts.total says how many there are" },
    });
    let description = "Shows the state of a batch and of each task, with the outputs so far. While `status` is `pending`, \
                       ask again after next_poll_interval_seconds, or with wait_seconds. A task in state `input_required` waits \
                       for a person: pass its `question` on to the user.";
    let schema = schema::object(properties, &["response_id"]);
    Tool::new(ToolName::BatchPoll.as_str(), description, schema)
        .with_title("Status and results of a batch")
        .with_raw_output_schema(schema::batch_answer())
        .with_annotations(ToolAnnotations::new().read_only(true).open_world(false))
}

/// Polls a batch, or waits for it.
pub(super) async fn call(call: &McpToolCall, arguments: Option<JsonObject>) -> McpAnswer {
    match poll(call, arguments).await {
        Ok(answer) => answer,
        Err(failure) => McpAnswer::failure(ToolName::BatchPoll.as_str(), &failure),
    }
}

async fn poll(call: &McpToolCall, arguments: Option<JsonObject>) -> Result<McpAnswer, Failure> {
    let arguments = Arguments::new(
        arguments,
        &["response_id", "wait_seconds", "fields", "offset", "limit"],
    )?;
    let named = arguments.required("response_id")?;
    let seconds = arguments.number("wait_seconds", 0..=MAX_WAIT_S)?.unwrap_or(0);
    let page = match arguments.choice("fields", &[("all", false), ("counts", true)])? {
        Some(true) => BoardPage::NONE,
        Some(false) | None => BoardPage {
            offset: u64::from(arguments.number("offset", 0..=MAX_TASKS)?.unwrap_or(0)),
            limit: arguments
                .number("limit", 1..=MAX_TASKS)?
                .map_or(u64::MAX, u64::from),
        },
    };
    let batches = Batches::new(call.setup.desk.clone());
    let answer = match seconds {
        0 => {
            finish_detached(call.setup.answer_within, async move {
                batches.poll(&named, page).await
            })
            .await?
        }
        seconds => {
            let at_most = Duration::from_secs(u64::from(seconds)).min(call.setup.answer_within);
            tokio::select! {
                answer = batches.wait(&named, Some(at_most), page) => answer?,
                // Cancelling a poll does not cancel the batch.
                () = call.running.withdrawn.cancelled() => return Ok(withdrawn(ToolName::BatchPoll.as_str())),
                () = call.closing.cancelled() => batches.poll(&named, page).await?,
            }
        }
    };
    Ok(McpAnswer::success(&BatchSuccess::new(
        ToolName::BatchPoll,
        answer,
    )))
}
