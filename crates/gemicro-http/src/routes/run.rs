//! `/v1/runs/{id}`: the state of a run.

use axum::extract::State;
use axum::response::Response;
use hyper::StatusCode;

use crate::app::SharedApp;
use crate::parameters::Id;
use crate::trouble::{HttpTrouble, json};

/// Returns the state of a run.
#[utoipa::path(
    get,
    path = "/v1/runs/{id}",
    operation_id = "show_run",
    tag = "runs",
    params(("id" = String, Path, pattern = "^[A-Za-z0-9_-]{4,64}$", description = "Its id, or the beginning of it")),
    responses((status = 200, description = "The state of the run", content_type = "application/json", body = ref("#/components/schemas/RunRow")))
)]
pub(crate) async fn show(State(app): State<SharedApp>, Id(id): Id) -> Result<Response, HttpTrouble> {
    Ok(json(StatusCode::OK, &app.desk().state(id.as_str()).await?))
}
