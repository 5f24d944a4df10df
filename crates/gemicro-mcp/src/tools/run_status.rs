//! `run_status`: the state of a run.

use gemicro_core::ask::minutes;
use gemicro_core::run::events::RunReaders;
use gemicro_event::{Charge, ErrorKind, Event, Failure, RunStatus, StreamId, Timestamp};
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde::Serialize;
use serde_json::json;

use super::ToolName;
use super::call::McpToolCall;
use super::schema;
use crate::answer::McpAnswer;
use crate::arguments::Arguments;

/// Number of events shown.
const SHOWN: usize = 5;

#[derive(Debug, Serialize)]
struct RunStatusBody {
    success: bool,
    tool: &'static str,
    run_id: StreamId,
    status: RunStatus,
    flow: String,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_kind: Option<ErrorKind>,
    started_at: Timestamp,
    updated_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_at: Option<Timestamp>,
    /// When a parked run continues by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    parked_until: Option<Timestamp>,
    spent: Charge,
    /// Its cost, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<String>,
    last_events: Vec<StatusLine>,
    duration: String,
}

#[derive(Debug, Serialize)]
struct StatusLine {
    event_type: String,
    message: String,
    timestamp: Timestamp,
}

/// The definition of the tool.
pub(super) fn definition() -> Tool {
    let properties = json!({ "run_id": schema::run_id() });
    let description = "Shows a run: its status, what it spent, its last events.";
    let schema = schema::object(properties, &["run_id"]);
    Tool::new(ToolName::RunStatus.as_str(), description, schema)
        .with_title("Status of a run")
        .with_annotations(ToolAnnotations::new().read_only(true).open_world(false))
}

/// Reads the state of a run.
pub(super) async fn call(call: &McpToolCall, arguments: Option<JsonObject>) -> McpAnswer {
    match status(call, arguments).await {
        Ok(status) => McpAnswer::success(&status),
        Err(failure) => McpAnswer::failure(ToolName::RunStatus.as_str(), &failure),
    }
}

async fn status(call: &McpToolCall, arguments: Option<JsonObject>) -> Result<RunStatusBody, Failure> {
    let named = Arguments::new(arguments, &["run_id"])?.required("run_id")?;
    let (row, events) = call.look_up(named).await?;
    let until = match row.status {
        RunStatus::Parked => events.iter().rev().find_map(parked_until),
        RunStatus::Running
        | RunStatus::Suspended
        | RunStatus::Completed
        | RunStatus::Failed
        | RunStatus::Cancelled
        | RunStatus::Interrupted => None,
    };
    let last_at = row.ended_at.unwrap_or_else(Timestamp::now);
    Ok(RunStatusBody {
        success: true,
        tool: ToolName::RunStatus.as_str(),
        run_id: row.run,
        status: row.status,
        flow: row.flow,
        title: row.title,
        error_kind: row.error_kind,
        started_at: row.started_at,
        updated_at: row.updated_at,
        ended_at: row.ended_at,
        parked_until: until,
        spent: row.spent,
        cost: row.spent.in_words(),
        last_events: events[events.len().saturating_sub(SHOWN)..]
            .iter()
            .map(line)
            .collect(),
        duration: minutes(last_at.since(row.started_at)),
    })
}

fn parked_until(event: &Event) -> Option<Timestamp> {
    event.update.as_run_parked().map(|parked| parked.until)
}

fn line(event: &Event) -> StatusLine {
    StatusLine {
        event_type: event.update.event_type.clone(),
        message: event.update.message.clone(),
        timestamp: event.update.timestamp,
    }
}
