//! `/v1/runs/{id}/pause` and `/resume`.

use axum::extract::State;
use axum::response::Response;
use gemicro_engine::{PauseOutcome, pause};
use gemicro_event::{ErrorKind, Failure, StreamId};
use hyper::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::SharedApp;
use crate::calls::to_its_end;
use crate::parameters::{Id, JsonBody, read};
use crate::trouble::{HttpTrouble, json};

/// No parameters: an empty body, or `{}`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EmptyBody {}

/// The result of a pause.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PausedRun {
    run: StreamId,
    /// `paused`, `already_paused`, `requested` (its steps have not stopped yet) or `already_ended`.
    outcome: PauseOutcome,
}

/// Suspends a run, so that `resume` can continue it. The results of its completed steps are kept.
#[utoipa::path(
    post,
    path = "/v1/runs/{id}/pause",
    operation_id = "pause_run",
    tag = "runs",
    params(("id" = String, Path, pattern = "^[A-Za-z0-9_-]{4,64}$", description = "Its id, or the beginning of it")),
    request_body(content = ref("#/components/schemas/EmptyBody"), content_type = "application/json"),
    responses(
        (status = 200, description = "It is suspended, or had ended", content_type = "application/json", body = ref("#/components/schemas/PausedRun")),
        (status = 202, description = "Its steps have not stopped yet", content_type = "application/json", body = ref("#/components/schemas/PausedRun")),
    )
)]
pub(crate) async fn pause_run(
    State(app): State<SharedApp>,
    Id(id): Id,
    JsonBody(body): JsonBody,
) -> Result<Response, HttpTrouble> {
    let EmptyBody {} = read(&body)?;
    let paused = to_its_end(async move {
        let run = app.desk().find(id.as_str()).await?.run;
        let outcome = pause(app.desk().as_ref(), &run).await?;
        Ok(PausedRun { run, outcome })
    });
    let paused = paused.await?;
    let status = match paused.outcome {
        PauseOutcome::Requested => StatusCode::ACCEPTED,
        PauseOutcome::Paused | PauseOutcome::AlreadyPaused | PauseOutcome::AlreadyEnded => StatusCode::OK,
    };
    Ok(json(status, &paused))
}

/// Resumes a run that was paused or interrupted. A run that is already being driven is left alone.
#[utoipa::path(
    post,
    path = "/v1/runs/{id}/resume",
    operation_id = "resume_run",
    tag = "runs",
    params(("id" = String, Path, pattern = "^[A-Za-z0-9_-]{4,64}$", description = "Its id, or the beginning of it")),
    request_body(content = ref("#/components/schemas/EmptyBody"), content_type = "application/json"),
    responses(
        (status = 202, description = "The run continues", content_type = "application/json", body = ref("#/components/schemas/RunRow")),
        (status = 409, description = "It has ended", content_type = "application/json", body = ref("#/components/schemas/ErrorBody")),
    )
)]
pub(crate) async fn resume_run(
    State(app): State<SharedApp>,
    Id(id): Id,
    JsonBody(body): JsonBody,
) -> Result<Response, HttpTrouble> {
    let EmptyBody {} = read(&body)?;
    let row = to_its_end(async move {
        let row = app.desk().find(id.as_str()).await?;
        if row.status.is_terminal() {
            let message = format!(
                "run {} has ended ({}); there is nothing to resume",
                row.run,
                row.status.as_str()
            );
            return Err(Failure::new(ErrorKind::Conflict, message));
        }
        app.desk().resume(&row.run).await?;
        app.desk().state(row.run.as_str()).await
    });
    Ok(json(StatusCode::ACCEPTED, &row.await?))
}
