//! `/v1/runs`: starts and lists runs.

use axum::extract::State;
use axum::response::Response;
use gemicro_engine::{INPUT_REQUIRED, RunFilter, RunSnapshot};
use gemicro_event::{RunStatus, StreamId};
use hyper::StatusCode;
use hyper::body::Bytes;
use schemars::JsonSchema;
use serde::de::IntoDeserializer;
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;

use super::batches::list_length;
use crate::app::SharedApp;
use crate::calls::{apart, to_its_end};
use crate::parameters::{JsonBody, QueryParameters, read};
use crate::start_request::StartRequest;
use crate::trouble::{HttpTrouble, json};

/// A list of runs.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RunList {
    /// The runs, the newest first.
    runs: Vec<RunSnapshot>,
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct RunListQuery {
    /// Maximum number of runs to list.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
    /// Only runs with this status: `running`, `parked`, `input_required`, `suspended`, `completed`, `failed`,
    /// `cancelled` or `interrupted`.
    #[param(pattern = "^(running|parked|input_required|suspended|completed|failed|cancelled|interrupted)$")]
    status: Option<String>,
    /// Only runs of this flow, such as `research` or `batch`.
    flow: Option<String>,
    /// Only runs older than this one, which is the last of the previous page.
    #[param(value_type = Option<String>, pattern = "^[A-Za-z0-9_-]{1,64}$")]
    before: Option<StreamId>,
}

/// Lists runs, the newest first.
#[utoipa::path(
    get,
    path = "/v1/runs",
    operation_id = "list_runs",
    tag = "runs",
    params(RunListQuery),
    responses((status = 200, description = "The runs", content_type = "application/json", body = ref("#/components/schemas/RunList")))
)]
pub(crate) async fn list(
    State(app): State<SharedApp>,
    QueryParameters(query): QueryParameters<RunListQuery>,
) -> Result<Response, HttpTrouble> {
    let is_waiting = query.status.as_deref() == Some(INPUT_REQUIRED);
    let status = query.status.filter(|_| !is_waiting);
    let filter = RunFilter {
        status: status.map(|word| status_named(&word)).transpose()?,
        flow: query.flow,
        limit: Some(list_length(query.limit)?),
        before: query.before,
    };
    let runs = app.desk().states(&filter, is_waiting).await?;
    Ok(json(StatusCode::OK, &RunList { runs }))
}

/// Starts a run: research, a prompt for a coding agent or a model, a coding pipeline, or a loop that raises test
/// coverage, depending on `kind`. It runs in the background. Batches have their own route.
#[utoipa::path(
    post,
    path = "/v1/runs",
    operation_id = "start_run",
    tag = "runs",
    request_body(content = ref("#/components/schemas/StartBody"), content_type = "application/json"),
    responses((status = 202, description = "Started; follow it by its id", content_type = "application/json", body = ref("#/components/schemas/RunRow")))
)]
pub(crate) async fn start(
    State(app): State<SharedApp>,
    JsonBody(body): JsonBody,
) -> Result<Response, HttpTrouble> {
    let request = start_request(&body)?;
    let planner = app.clone();
    let plan = apart(move || {
        request.check()?;
        (planner.setup.plan)(request)
    });
    let plan = plan.await?;
    let row = to_its_end(async move {
        let watching = app.desk().start(plan).await?;
        app.desk().state(watching.run.as_str()).await
    });
    Ok(json(StatusCode::ACCEPTED, &row.await?))
}

fn status_named(word: &str) -> Result<RunStatus, HttpTrouble> {
    let read: Result<RunStatus, serde::de::value::Error> = RunStatus::deserialize(word.into_deserializer());
    read.map_err(|_| {
        HttpTrouble::invalid(format!(
            "`status` must be running, parked, {INPUT_REQUIRED}, suspended, completed, failed, cancelled or \
             interrupted, not {word}"
        ))
    })
}

/// Parses the request according to its `kind`.
fn start_request(body: &Bytes) -> Result<StartRequest, HttpTrouble> {
    #[derive(Deserialize)]
    struct StartKind {
        kind: Option<String>,
    }
    // Invalid bodies are refused below, with the position of the error.
    let kinded = serde_json::from_slice::<StartKind>(body).ok();
    match kinded.and_then(|kinded| kinded.kind).as_deref() {
        Some("ask") => read(body).map(StartRequest::Ask),
        Some("prompt") => read(body).map(StartRequest::Prompt),
        Some("pipeline") => read(body).map(StartRequest::Pipeline),
        Some("ooda") => read(body).map(StartRequest::Ooda),
        Some("research") | None => read(body).map(StartRequest::Research),
        Some(_) => Err(HttpTrouble::invalid(
            "`kind` must be research, ask, prompt, pipeline or ooda; submit a batch to /v1/batches",
        )),
    }
}
