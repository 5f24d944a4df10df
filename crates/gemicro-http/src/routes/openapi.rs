//! `/openapi.json`: describes the requests and answers of all routes.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use hyper::header::CONTENT_TYPE;

use crate::app::SharedApp;

#[utoipa::path(
    get,
    path = "/openapi.json",
    operation_id = "openapi",
    tag = "server",
    responses((status = 200, description = "An OpenAPI document", content_type = "application/json", body = ref("#/components/schemas/Anything")))
)]
pub(crate) async fn openapi(State(app): State<SharedApp>) -> Response {
    ([(CONTENT_TYPE, "application/json")], app.document.clone()).into_response()
}
