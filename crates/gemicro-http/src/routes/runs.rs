//! `/v1/runs`: start research, list runs.

use std::path::Path;

use axum::extract::State;
use axum::response::Response;
use gemicro_core::run::RunRow;
use gemicro_engine::RunFilter;
use gemicro_event::{RunStatus, StreamId};
use hyper::StatusCode;
use hyper::body::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;

use super::batches::bounded;
use crate::app::Shared;
use crate::calls::{apart, to_its_end};
use crate::parameters::{Asked, read};
use crate::setup::ResearchParameters;
use crate::trouble::{Trouble, json};

/// Runs in a few words.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RunList {
    /// The runs, the newest first.
    #[schemars(with = "Vec<crate::document::shapes::RunRow>")]
    runs: Vec<RunRow>,
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListQuery {
    /// Runs at most.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
    /// Only runs that stand so: `running`, `parked`, `suspended`, `completed`, `failed`, `cancelled` or `interrupted`.
    #[param(value_type = Option<String>)]
    status: Option<RunStatus>,
    /// Only runs of this flow, such as `research` or `batch`.
    flow: Option<String>,
    /// Only runs that are older than this one: the last of the page before.
    #[param(value_type = Option<String>, pattern = "^[A-Za-z0-9_-]{1,64}$")]
    before: Option<StreamId>,
}

/// Runs, the newest first.
#[utoipa::path(
    get,
    path = "/v1/runs",
    operation_id = "list_runs",
    tag = "runs",
    params(ListQuery),
    responses((status = 200, description = "The runs", content_type = "application/json", body = ref("#/components/schemas/RunList")))
)]
pub(crate) async fn list(
    State(app): State<Shared>,
    Asked(query): Asked<ListQuery>,
) -> Result<Response, Trouble> {
    let filter = RunFilter {
        status: query.status,
        flow: query.flow,
        limit: Some(bounded(query.limit)?),
        before: query.before,
    };
    let runs = app.desk().list(&filter).await?;
    Ok(json(StatusCode::OK, &RunList { runs }))
}

/// Starts research: a question, answered from sources with citations. It goes on without the caller.
#[utoipa::path(
    post,
    path = "/v1/runs",
    operation_id = "start_research",
    tag = "runs",
    request_body(content = ref("#/components/schemas/ResearchParameters"), content_type = "application/json"),
    responses((status = 202, description = "It is started; follow it by its id", content_type = "application/json", body = ref("#/components/schemas/RunRow")))
)]
pub(crate) async fn start(State(app): State<Shared>, body: Bytes) -> Result<Response, Trouble> {
    let parameters: ResearchParameters = read(&body)?;
    check(&parameters)?;
    let planner = app.clone();
    let plan = apart(move || (planner.setup.research)(parameters)).await?;
    let row = to_its_end(async move {
        let watching = app.desk().start(plan).await?;
        app.desk().find(watching.run.as_str()).await
    });
    Ok(json(StatusCode::ACCEPTED, &row.await?))
}

fn check(parameters: &ResearchParameters) -> Result<(), Trouble> {
    let is_fine = |source: &String| gemicro_engine::is_url(source) || Path::new(source).is_absolute();
    // The server's own folder means nothing to the caller.
    if let Some(relative) = parameters.sources.iter().find(|source| !is_fine(source)) {
        let message = format!("`sources`: must be absolute paths or web addresses, not {relative}");
        return Err(Trouble::invalid(message));
    }
    let within = |given: Option<u32>, most: u32| given.is_none_or(|given| (1..=most).contains(&given));
    if !within(parameters.max_queries, 100) {
        return Err(Trouble::invalid("`max_queries` is between 1 and 100"));
    }
    if !within(parameters.max_seconds, 86_400) {
        return Err(Trouble::invalid("`max_seconds` is between 1 and 86400"));
    }
    Ok(())
}
