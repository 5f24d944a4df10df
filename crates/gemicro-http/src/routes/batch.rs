//! `/v1/batches/{id}`: how a batch stands, at once or when it is done.

use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use gemicro_engine::BatchAnswer;
use gemicro_event::{ErrorKind, Failure};
use hyper::StatusCode;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::app::{App, Shared};
use crate::parameters::{Asked, Id};
use crate::trouble::{Trouble, json};

/// The longest wait, in seconds.
pub(crate) const MAX_WAIT: u64 = 60;

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct PollQuery {
    /// Seconds to wait for its end before it is answered as it stands.
    #[param(minimum = 0, maximum = 60)]
    wait: Option<u64>,
}

/// How a batch stands; with `wait`, when it is done or the time has passed.
#[utoipa::path(
    get,
    path = "/v1/batches/{id}",
    operation_id = "poll_batch",
    tag = "batches",
    params(("id" = String, Path, pattern = "^[A-Za-z0-9_-]{1,64}$", description = "Its `response_id`, or the beginning of it"), PollQuery),
    responses((status = 200, description = "How it stands", content_type = "application/json", body = ref("#/components/schemas/BatchAnswer")))
)]
pub(crate) async fn poll(
    State(app): State<Shared>,
    Id(id): Id,
    Asked(query): Asked<PollQuery>,
) -> Result<Response, Trouble> {
    let answer = match query.wait.unwrap_or(0) {
        0 => app.batches.poll(id.as_str()).await?,
        seconds @ 1..=MAX_WAIT => wait(&app, id.as_str(), Duration::from_secs(seconds)).await?,
        _ => return Err(Trouble::invalid(format!("`wait` is at most {MAX_WAIT} seconds"))),
    };
    Ok(json(StatusCode::OK, &answer))
}

async fn wait(app: &App, named: &str, at_most: Duration) -> Result<BatchAnswer, Failure> {
    let _place = app.place_to_wait()?;
    let waited = tokio::select! {
        waited = app.batches.wait(named, Some(at_most)) => waited,
        () = app.shutdown.cancelled() => app.batches.poll(named).await,
    };
    match waited {
        // It was stopped before its end, and may go on in the meantime; whoever waits must not ask again at once.
        Err(failure) if failure.kind == ErrorKind::Interrupted => {
            tokio::select! {
                () = tokio::time::sleep(at_most) => {}
                () = app.shutdown.cancelled() => {}
            }
            app.batches.poll(named).await
        }
        waited => waited,
    }
}
