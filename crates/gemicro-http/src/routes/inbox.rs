//! `/v1/inbox`: everything that waits for a person.

use axum::extract::State;
use axum::response::Response;
use gemicro_engine::InboxEntry;
use hyper::StatusCode;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::SharedApp;
use crate::trouble::{HttpTrouble, json};

/// The open questions of all runs.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Inbox {
    /// The questions, the newest first. Answer one with the command `answer` of its run.
    entries: Vec<InboxEntry>,
}

/// Lists everything that waits for a person, the newest first.
#[utoipa::path(
    get,
    path = "/v1/inbox",
    operation_id = "inbox",
    tag = "runs",
    responses((status = 200, description = "The open questions", content_type = "application/json", body = ref("#/components/schemas/Inbox")))
)]
pub(crate) async fn list(State(app): State<SharedApp>) -> Result<Response, HttpTrouble> {
    let entries = app.desk().inbox().await?;
    Ok(json(StatusCode::OK, &Inbox { entries }))
}
