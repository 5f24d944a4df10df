//! `/v1/runs/{id}/commands` and `/cancel`.

use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use gemicro_core::command::{AckStatus, AgentAck, AgentCommand};
use gemicro_engine::CancelOutcome;
use gemicro_event::{CommandId, ErrorKind, Failure, Json, StreamId};
use hyper::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::batch_changes::USUAL_REASON;
use crate::app::{App, SharedApp};
use crate::calls::to_its_end;
use crate::parameters::{Id, JsonBody, read};
use crate::trouble::{HttpTrouble, json};

/// Maximum time to wait for the driver of a run to answer a command; afterwards it is reported as accepted.
const ANSWER_WITHIN: Duration = Duration::from_secs(2);
/// Interval of checks for the answer.
const LOOK: Duration = Duration::from_millis(20);

/// A command for a run.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CommandBody {
    /// The command: `cancel`, `pause`, `answer`, `adjust_budget`, `instruct` (pipelines), or another of the run's flow.
    command_type: String,
    /// Data, in the format of the command. `adjust_budget` takes `budget`, such as `2M` or `$5`; `instruct` takes `text`.
    /// `answer` takes `answer`, and `key` unless the run, or the tasks of a batch,
    /// have only one open question.
    #[serde(default)]
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    data: Json,
    /// A unique id chosen by the caller: a command that is sent twice is carried out once.
    #[serde(default)]
    #[schemars(with = "Option<String>", regex(pattern = r"^[A-Za-z0-9_-]{1,64}$"))]
    command_id: Option<CommandId>,
}

/// The body for cancelling a run.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CancelRunBody {
    /// The reason, recorded in its journal.
    #[serde(default)]
    reason: Option<String>,
}

/// The result of a cancellation.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Cancelled")]
pub(crate) struct CancelResultBody {
    run: StreamId,
    /// `cancelled`, `requested` (its process was notified) or `already_ended`.
    outcome: CancelOutcome,
}

/// Sends a command to a run; returns the result.
#[utoipa::path(
    post,
    path = "/v1/runs/{id}/commands",
    operation_id = "send_command",
    tag = "runs",
    params(("id" = String, Path, pattern = "^[A-Za-z0-9_-]{4,64}$", description = "Its id, or the beginning of it")),
    request_body(content = ref("#/components/schemas/CommandBody"), content_type = "application/json"),
    responses(
        (status = 200, description = "The command was carried out", content_type = "application/json", body = ref("#/components/schemas/AgentAck")),
        (status = 202, description = "Saved; applied when the run is resumed", content_type = "application/json", body = ref("#/components/schemas/AgentAck")),
        (status = 409, description = "The run rejects the command; the message says why", content_type = "application/json", body = ref("#/components/schemas/ErrorBody")),
    )
)]
pub(crate) async fn command(
    State(app): State<SharedApp>,
    Id(id): Id,
    JsonBody(body): JsonBody,
) -> Result<Response, HttpTrouble> {
    let body: CommandBody = read(&body)?;
    if !body.data.is_object() {
        return Err(HttpTrouble::invalid("`data`: expected an object"));
    }
    let command = AgentCommand {
        command_type: body.command_type,
        command_id: body.command_id.unwrap_or_else(CommandId::random),
        data: body.data,
    };
    let ack = to_its_end(async move { send(&app, id.as_str(), command).await }).await?;
    match ack.status {
        AckStatus::Completed => Ok(json(StatusCode::OK, &ack)),
        AckStatus::Accepted => Ok(json(StatusCode::ACCEPTED, &ack)),
        AckStatus::Rejected => {
            let reason = ack.data.get("reason").and_then(serde_json::Value::as_str);
            let message = reason.unwrap_or("the run rejects this command");
            Err(Failure::new(ErrorKind::Conflict, message).into())
        }
    }
}

/// Cancels a run permanently.
#[utoipa::path(
    post,
    path = "/v1/runs/{id}/cancel",
    operation_id = "cancel_run",
    tag = "runs",
    params(("id" = String, Path, pattern = "^[A-Za-z0-9_-]{4,64}$", description = "Its id, or the beginning of it")),
    request_body(content = ref("#/components/schemas/CancelRunBody"), content_type = "application/json"),
    responses(
        (status = 200, description = "It has ended", content_type = "application/json", body = ref("#/components/schemas/Cancelled")),
        (status = 202, description = "Cancellation requested", content_type = "application/json", body = ref("#/components/schemas/Cancelled")),
    )
)]
pub(crate) async fn cancel(
    State(app): State<SharedApp>,
    Id(id): Id,
    JsonBody(body): JsonBody,
) -> Result<Response, HttpTrouble> {
    let body: CancelRunBody = read(&body)?;
    let cancelled = to_its_end(async move {
        let run = app.desk().find(id.as_str()).await?.run;
        let reason = body.reason.as_deref().unwrap_or(USUAL_REASON);
        let outcome = app.desk().cancel(&run, reason).await?;
        Ok(CancelResultBody { run, outcome })
    });
    let cancelled = cancelled.await?;
    let status = match cancelled.outcome {
        CancelOutcome::Requested => StatusCode::ACCEPTED,
        CancelOutcome::Cancelled | CancelOutcome::AlreadyEnded => StatusCode::OK,
    };
    Ok(json(status, &cancelled))
}

/// Sends a command and waits briefly for the driver of the run.
async fn send(app: &App, named: &str, command: AgentCommand) -> Result<AgentAck, Failure> {
    let desk = app.desk();
    let row = desk.find(named).await?;
    let (mut run, mut command) = (row.run.clone(), command);
    let id = command.command_id.clone();
    let names_question = command.command_type != "answer" || command.data.get("key").is_some();
    // A command that was already sent is not examined again.
    if !names_question && desk.acknowledgement(&run, &id).await?.is_none() {
        let asked = desk.question(&row).await?;
        let mut data = (*command.data).clone();
        data["key"] = asked.key.into();
        (run, command.data) = (asked.run_id, Json::from(data));
    }
    let mut ack = desk.send(&run, command).await?;
    let until = Instant::now() + ANSWER_WITHIN;
    while ack.status == AckStatus::Accepted && Instant::now() < until {
        tokio::time::sleep(LOOK).await;
        if let Some(answered) = desk.acknowledgement(&run, &id).await? {
            ack = answered;
        }
    }
    Ok(ack)
}
