//! `/v1/batches`: submits and lists batches.

use axum::extract::State;
use axum::response::Response;
use gemicro_engine::{BatchAnswer, BatchRow, BatchStatus, SubmittedBatch, read_batch};
use gemicro_event::{ErrorKind, Failure};
use hyper::{HeaderMap, StatusCode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;

use crate::app::SharedApp;
use crate::calls::{apart, to_its_end};
use crate::parameters::{BatchBytes, QueryParameters};
use crate::trouble::{HttpTrouble, json};

/// The header for the key of a batch.
const KEY: &str = "idempotency-key";
/// Maximum length of a key.
const MAX_KEY_BYTES: usize = 128;
/// Default number of batches in a list.
const USUAL_LIMIT: usize = 50;
const MAX_LIMIT: usize = 1_000;

/// A list of batches.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct BatchList {
    /// The batches, the newest first.
    pub(crate) batches: Vec<BatchRow>,
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct BatchListQuery {
    /// Maximum number of batches to list.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<usize>,
}

/// Submits a batch: an array of tasks, one task per line, or an object with `tasks`. It runs in the background.
#[utoipa::path(
    post,
    path = "/v1/batches",
    operation_id = "submit_batch",
    tag = "batches",
    params(("Idempotency-Key" = Option<String>, Header, min_length = 1, max_length = 128, pattern = "^[!-~]([ -~]*[!-~])?$",
        description = "A key for the batch: submitting it twice with the same key creates one batch. Same as `key` in the body")),
    request_body(content(
        (ref("#/components/schemas/BatchBody") = "application/json"),
        (ref("#/components/schemas/TaskLines") = "application/x-ndjson"),
    )),
    responses(
        (status = 200, description = "Nothing is left to do", content_type = "application/json", body = ref("#/components/schemas/BatchAnswer")),
        (status = 202, description = "Accepted; poll it by its `response_id`", content_type = "application/json", body = ref("#/components/schemas/BatchAnswer")),
        (status = 409, description = "The key belongs to another batch", content_type = "application/json", body = ref("#/components/schemas/ErrorBody")),
    )
)]
pub(crate) async fn submit(
    State(app): State<SharedApp>,
    headers: HeaderMap,
    BatchBytes(body): BatchBytes,
) -> Result<Response, HttpTrouble> {
    let key = key(&headers)?;
    let batch = apart(move || Ok(read_batch(&body)?)).await?;
    let request = (app.setup.batch)(with_key(batch, key)?)?;
    let batches = app.batches.clone();
    let answer = to_its_end(async move { batches.submit(request).await }).await?;
    Ok(as_it_stands(&answer))
}

/// Lists batches, the newest first.
#[utoipa::path(
    get,
    path = "/v1/batches",
    operation_id = "list_batches",
    tag = "batches",
    params(BatchListQuery),
    responses((status = 200, description = "The batches", content_type = "application/json", body = ref("#/components/schemas/BatchList")))
)]
pub(crate) async fn list(
    State(app): State<SharedApp>,
    QueryParameters(query): QueryParameters<BatchListQuery>,
) -> Result<Response, HttpTrouble> {
    let batches = app.batches.list(list_length(query.limit)?).await?;
    Ok(json(StatusCode::OK, &BatchList { batches }))
}

/// Returns an answer with status 202 while work is left, otherwise 200.
pub(super) fn as_it_stands(answer: &BatchAnswer) -> Response {
    let status = match answer.status {
        BatchStatus::Pending => StatusCode::ACCEPTED,
        BatchStatus::Completed | BatchStatus::Failed => StatusCode::OK,
    };
    json(status, answer)
}

/// Returns the maximum length of a list.
pub(super) fn list_length(limit: Option<usize>) -> Result<usize, HttpTrouble> {
    match limit.unwrap_or(USUAL_LIMIT) {
        limit @ 1..=MAX_LIMIT => Ok(limit),
        _ => Err(HttpTrouble::invalid(format!(
            "`limit` must be between 1 and {MAX_LIMIT}"
        ))),
    }
}

/// Returns the key in the headers of a request.
fn key(headers: &HeaderMap) -> Result<Option<String>, HttpTrouble> {
    let mut values = headers.get_all(KEY).iter();
    let value = match (values.next(), values.next()) {
        (None, _) => return Ok(None),
        (Some(value), None) => value.to_str().ok(),
        (Some(_), Some(_)) => None,
    };
    match value.map(str::trim) {
        Some(key) if (1..=MAX_KEY_BYTES).contains(&key.len()) => Ok(Some(key.to_owned())),
        _ => {
            let message =
                format!("Idempotency-Key must be 1 to {MAX_KEY_BYTES} visible characters, sent once");
            Err(HttpTrouble::invalid(message))
        }
    }
}

/// Adds the key of the header to a batch that has none.
fn with_key(batch: SubmittedBatch, key: Option<String>) -> Result<SubmittedBatch, Failure> {
    match (&batch.key, key) {
        (Some(ours), Some(other)) if *ours != other => {
            let message = format!("the keys in the body (`{ours}`) and header (`{other}`) differ; send one");
            Err(Failure::new(ErrorKind::InvalidInput, message))
        }
        (Some(_), _) => Ok(batch),
        (None, key) => Ok(SubmittedBatch { key, ..batch }),
    }
}
