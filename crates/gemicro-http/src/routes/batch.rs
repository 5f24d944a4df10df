//! `/v1/batches/{id}`: the state of a batch, at once or when it is done.

use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use gemicro_engine::{BatchAnswer, BoardPage};
use gemicro_event::{ErrorKind, Failure};
use hyper::StatusCode;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::app::{App, SharedApp};
use crate::parameters::{Id, QueryParameters};
use crate::trouble::{HttpTrouble, json};

/// Maximum wait, in seconds.
pub(crate) const MAX_WAIT: u64 = 60;
/// Maximum number of results on a page.
const MAX_LIMIT: u64 = 10_000;

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct PollQuery {
    /// Seconds to wait for the end of the batch before its current state is returned.
    #[param(minimum = 0, maximum = 60)]
    wait: Option<u64>,
    /// With `counts`, `results` is empty.
    #[param(value_type = Option<String>, pattern = "^(all|counts)$")]
    fields: Option<PollFields>,
    /// Number of results to skip, in the order of the tasks.
    #[param(minimum = 0)]
    offset: Option<u64>,
    /// Maximum number of results; `counts.total` is the number of all.
    #[param(minimum = 1, maximum = 10000)]
    limit: Option<u64>,
}

/// The content of a poll's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum PollFields {
    All,
    Counts,
}

impl PollQuery {
    /// Returns the page of results to return.
    fn page(&self) -> Result<BoardPage, HttpTrouble> {
        if self.offset.is_some_and(|offset| i64::try_from(offset).is_err()) {
            return Err(HttpTrouble::invalid("`offset` is too large"));
        }
        if self.limit.is_some_and(|limit| !(1..=MAX_LIMIT).contains(&limit)) {
            return Err(HttpTrouble::invalid(format!(
                "`limit` must be between 1 and {MAX_LIMIT}"
            )));
        }
        if self.fields == Some(PollFields::Counts) {
            return Ok(BoardPage::NONE);
        }
        Ok(BoardPage {
            offset: self.offset.unwrap_or(0),
            limit: self.limit.unwrap_or(u64::MAX),
        })
    }
}

/// Returns the state of a batch; with `wait`, when it is done or the time has passed. Results can be paged or left out;
/// the counts always cover all tasks.
#[utoipa::path(
    get,
    path = "/v1/batches/{id}",
    operation_id = "poll_batch",
    tag = "batches",
    params(("id" = String, Path, pattern = "^[A-Za-z0-9_-]{4,64}$", description = "Its `response_id`, or the beginning of it"), PollQuery),
    responses((status = 200, description = "The state of the batch", content_type = "application/json", body = ref("#/components/schemas/BatchAnswer")))
)]
pub(crate) async fn poll(
    State(app): State<SharedApp>,
    Id(id): Id,
    QueryParameters(query): QueryParameters<PollQuery>,
) -> Result<Response, HttpTrouble> {
    let page = query.page()?;
    let answer = match query.wait.unwrap_or(0) {
        0 => app.batches.poll(id.as_str(), page).await?,
        seconds @ 1..=MAX_WAIT => wait(&app, id.as_str(), Duration::from_secs(seconds), page).await?,
        _ => {
            return Err(HttpTrouble::invalid(format!(
                "`wait` must be at most {MAX_WAIT} seconds"
            )));
        }
    };
    Ok(json(StatusCode::OK, &answer))
}

async fn wait(app: &App, named: &str, at_most: Duration, page: BoardPage) -> Result<BatchAnswer, Failure> {
    let _place = app.place_to_wait()?;
    let waited = tokio::select! {
        waited = app.batches.wait(named, Some(at_most), page) => waited,
        () = app.shutdown.cancelled() => app.batches.poll(named, page).await,
    };
    match waited {
        // It was suspended and may be resumed meanwhile; a waiting client must not ask again at once.
        Err(failure) if failure.kind == ErrorKind::Interrupted => {
            tokio::select! {
                () = tokio::time::sleep(at_most) => {}
                () = app.shutdown.cancelled() => {}
            }
            app.batches.poll(named, page).await
        }
        waited => waited,
    }
}
