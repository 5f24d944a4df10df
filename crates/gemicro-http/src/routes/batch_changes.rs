//! `/v1/batches/{id}/cancel` and `/retry`.

use axum::extract::State;
use axum::response::Response;
use gemicro_event::{ErrorKind, Failure};
use hyper::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::batches::as_it_stands;
use crate::app::SharedApp;
use crate::calls::to_its_end;
use crate::parameters::{Id, JsonBody, read};
use crate::trouble::{HttpTrouble, json};

/// The default reason for a cancellation.
pub(super) const USUAL_REASON: &str = "cancelled over HTTP";

/// The tasks of a batch to cancel, and why.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CancelBody {
    /// The tasks to cancel; by default the whole batch.
    #[schemars(length(min = 1))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) task_ids: Option<Vec<String>>,
    /// The reason, recorded in its journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
}

/// The tasks to retry.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RetryBody {
    /// The tasks to retry; by default all without an output.
    #[schemars(length(min = 1))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) task_ids: Option<Vec<String>>,
}

/// Cancels a batch, or some of its tasks.
#[utoipa::path(
    post,
    path = "/v1/batches/{id}/cancel",
    operation_id = "cancel_batch",
    tag = "batches",
    params(("id" = String, Path, pattern = "^[A-Za-z0-9_-]{4,64}$", description = "Its `response_id`, or the beginning of it")),
    request_body(content = ref("#/components/schemas/CancelBody"), content_type = "application/json"),
    responses((status = 200, description = "The new state of the batch", content_type = "application/json", body = ref("#/components/schemas/BatchAnswer")))
)]
pub(crate) async fn cancel(
    State(app): State<SharedApp>,
    Id(id): Id,
    JsonBody(body): JsonBody,
) -> Result<Response, HttpTrouble> {
    let body: CancelBody = read(&body)?;
    let answer = to_its_end(async move {
        let reason = body.reason.as_deref().unwrap_or(USUAL_REASON);
        app.batches
            .cancel(id.as_str(), &task_names(body.task_ids)?, reason)
            .await
    });
    Ok(json(StatusCode::OK, &answer.await?))
}

/// Retries tasks without an output. If the batch has ended, they run in a new one, whose id is in the answer.
#[utoipa::path(
    post,
    path = "/v1/batches/{id}/retry",
    operation_id = "retry_batch",
    tag = "batches",
    params(("id" = String, Path, pattern = "^[A-Za-z0-9_-]{4,64}$", description = "Its `response_id`, or the beginning of it")),
    request_body(content = ref("#/components/schemas/RetryBody"), content_type = "application/json"),
    responses(
        (status = 200, description = "Nothing is left to do", content_type = "application/json", body = ref("#/components/schemas/BatchAnswer")),
        (status = 202, description = "The batch continues", content_type = "application/json", body = ref("#/components/schemas/BatchAnswer")),
    )
)]
pub(crate) async fn retry(
    State(app): State<SharedApp>,
    Id(id): Id,
    JsonBody(body): JsonBody,
) -> Result<Response, HttpTrouble> {
    let body: RetryBody = read(&body)?;
    let answer = to_its_end(async move { app.batches.retry(id.as_str(), &task_names(body.task_ids)?).await });
    Ok(as_it_stands(&answer.await?))
}

/// Returns the named tasks. An empty list is refused, because it is unlikely to mean all of them.
fn task_names(task_ids: Option<Vec<String>>) -> Result<Vec<String>, Failure> {
    match task_ids {
        Some(task_ids) if task_ids.is_empty() => {
            let message = "/task_ids: the list is empty; leave the field out to select all tasks";
            Err(Failure::new(ErrorKind::InvalidInput, message))
        }
        task_ids => Ok(task_ids.unwrap_or_default()),
    }
}
