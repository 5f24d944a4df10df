//! `/health`: whether the server answers. The one route without a token; it says nothing of runs.

use axum::extract::State;
use axum::response::Response;
use hyper::StatusCode;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::SharedApp;
use crate::trouble::json;

/// That the server answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Health {
    /// Always `ok` while the server answers.
    status: &'static str,
    /// The version of the program.
    version: &'static str,
}

/// Whether the server answers; needs no token.
#[utoipa::path(
    get,
    path = "/health",
    operation_id = "health",
    tag = "server",
    security(()),
    responses((status = 200, description = "It does", content_type = "application/json", body = ref("#/components/schemas/Health")))
)]
pub(crate) async fn health(State(app): State<SharedApp>) -> Response {
    let health = Health {
        status: "ok",
        version: app.setup.version,
    };
    json(StatusCode::OK, &health)
}
