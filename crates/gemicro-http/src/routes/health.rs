//! `/health`: shows that the server is running. The only route without a token; it says nothing about runs.

use axum::extract::State;
use axum::response::Response;
use hyper::StatusCode;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::SharedApp;
use crate::trouble::json;

/// The health of the server.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Health {
    /// Always `ok` while the server answers.
    status: &'static str,
    /// The version of the program.
    version: &'static str,
}

/// Shows that the server is running; needs no token.
#[utoipa::path(
    get,
    path = "/health",
    operation_id = "health",
    tag = "server",
    security(()),
    responses((status = 200, description = "The server is running", content_type = "application/json", body = ref("#/components/schemas/Health")))
)]
pub(crate) async fn health(State(app): State<SharedApp>) -> Response {
    let health = Health {
        status: "ok",
        version: app.setup.version,
    };
    json(StatusCode::OK, &health)
}
