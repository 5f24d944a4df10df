//! `/v1/runs/{id}/result`: the result of a run.

use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use gemicro_core::run::RunRow;
use gemicro_core::run::events::RunReaders;
use gemicro_engine::RunSnapshot;
use gemicro_event::{Charge, ErrorKind, Event, Failure, Json, RunStatus, StreamId, Timestamp, is_terminal};
use hyper::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;

use super::batch::MAX_WAIT;
use crate::app::{App, SharedApp};
use crate::parameters::{Id, QueryParameters};
use crate::trouble::{HttpTrouble, json};

/// Suggested wait before asking again about an unfinished run, in milliseconds.
const ASK_AGAIN_MS: u64 = 2_000;

/// The result of a run.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RunResult {
    run: StreamId,
    /// Its flow, such as `research`.
    flow: String,
    /// `completed`, `failed`, `cancelled` or `interrupted`.
    status: RunStatus,
    /// The result in one sentence.
    message: String,
    /// The result of a completed run: the data of its `final_result` event; otherwise `null`.
    result: Option<Json>,
    /// Why it did not complete.
    error: Option<Failure>,
    /// Tokens, money and turns that the run used.
    spent: Charge,
    ended_at: Timestamp,
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ResultQuery {
    /// Seconds to wait for the end of the run.
    #[param(minimum = 0, maximum = 60)]
    wait: Option<u64>,
}

/// How a run ended, and with what; with `wait`, after so many seconds at most. A run that has not ended answers 409
/// `still_running`, one that waits for a person 409 `input_required` with the question, one that is suspended 409
/// `interrupted`.
#[utoipa::path(
    get,
    path = "/v1/runs/{id}/result",
    operation_id = "run_result",
    tag = "runs",
    params(("id" = String, Path, pattern = "^[A-Za-z0-9_-]{4,64}$", description = "Its id, or the beginning of it"), ResultQuery),
    responses(
        (status = 200, description = "It has ended", content_type = "application/json", body = ref("#/components/schemas/RunResult")),
        (status = 409, description = "It has not ended yet", content_type = "application/json", body = ref("#/components/schemas/ErrorBody")),
    )
)]
pub(crate) async fn result(
    State(app): State<SharedApp>,
    Id(id): Id,
    QueryParameters(query): QueryParameters<ResultQuery>,
) -> Result<Response, HttpTrouble> {
    let mut row = app.desk().find(id.as_str()).await?;
    match query.wait.unwrap_or(0) {
        0 => {}
        seconds @ 1..=MAX_WAIT => {
            wait(&app, &row, Duration::from_secs(seconds)).await?;
            row = app.desk().find(row.run.as_str()).await?;
        }
        _ => {
            return Err(HttpTrouble::invalid(format!(
                "`wait` must be at most {MAX_WAIT} seconds"
            )));
        }
    }
    if !row.status.is_terminal() {
        let run = app.desk().state(row.run.as_str()).await?;
        return Err(not_ended(&run).into());
    }
    let events = app.desk().events(&row.run).await?;
    let last = events
        .into_iter()
        .rfind(|event| is_terminal(&event.update.event_type));
    let last =
        last.ok_or_else(|| Failure::new(ErrorKind::Internal, "the last event of the run cannot be read"))?;
    Ok(json(StatusCode::OK, &ended_result(row, last)))
}

fn ended_result(row: RunRow, last: Event) -> RunResult {
    let failed = last.update.as_run_failed().map(|it| it.error);
    let cancelled = last.update.as_run_cancelled().map(|it| {
        let message = match it.reason.as_str() {
            "" => "the run was cancelled".to_owned(),
            reason => format!("the run was cancelled: {reason}"),
        };
        Failure::new(ErrorKind::Cancelled, message)
    });
    let is_completed = row.status == RunStatus::Completed;
    let interrupted = || Failure::new(ErrorKind::Interrupted, last.update.message.clone());
    let error = match is_completed {
        true => None,
        false => Some(failed.or(cancelled).unwrap_or_else(interrupted)),
    };
    RunResult {
        run: row.run,
        flow: row.flow,
        status: row.status,
        error,
        result: is_completed.then_some(last.update.data),
        message: last.update.message,
        spent: row.spent,
        ended_at: last.update.timestamp,
    }
}

fn not_ended(snapshot: &RunSnapshot) -> Failure {
    let (run, status) = (&snapshot.row.run, snapshot.row.status);
    if let Some(question) = &snapshot.question {
        let then = match status {
            RunStatus::Suspended => format!(", then resume it with POST /v1/runs/{run}/resume"),
            _ => String::new(),
        };
        let message = format!(
            "run {run} waits for an answer: {} Answer with POST /v1/runs/{}/commands{then}",
            question.text, question.run_id
        );
        return Failure {
            detail: Some(Json::from(serde_json::json!({ "question": question }))),
            ..Failure::new(ErrorKind::InputRequired, message)
        };
    }
    match status {
        RunStatus::Suspended => {
            let message = format!("run {run} is suspended: resume it with POST /v1/runs/{run}/resume");
            Failure::new(ErrorKind::Interrupted, message)
        }
        _ => Failure {
            retry_after_ms: Some(ASK_AGAIN_MS),
            ..Failure::new(
                ErrorKind::StillRunning,
                format!(
                    "run {run} has not ended ({}); ask again, or with ?wait=",
                    status.as_str()
                ),
            )
        },
    }
}

/// Waits until a run ends, is suspended, or the time has passed; not at all for one that waits for a person.
async fn wait(app: &App, row: &RunRow, at_most: Duration) -> Result<(), Failure> {
    if row.status.is_terminal() || row.status == RunStatus::Suspended {
        return Ok(());
    }
    if app.desk().state(row.run.as_str()).await?.question.is_some() {
        return Ok(());
    }
    let _place = app.place_to_wait()?;
    let watching = app.desk().watch(&row.run).await?;
    tokio::select! {
        _ = watching.into_events() => {}
        () = tokio::time::sleep(at_most) => {}
        () = app.shutdown.cancelled() => {}
    }
    Ok(())
}
