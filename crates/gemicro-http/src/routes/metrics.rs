//! `/metrics`: counters of the server, and the number of open runs.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use gemicro_engine::RunFilter;
use gemicro_event::RunStatus;
use hyper::header::CONTENT_TYPE;

use crate::app::SharedApp;

/// Maximum number of runs counted per status.
const MAX_COUNTED: usize = 1_000;
/// The statuses of runs that have not ended.
const OPEN: [RunStatus; 3] = [RunStatus::Running, RunStatus::Parked, RunStatus::Suspended];

/// Metrics in the text format of Prometheus: requests, connections, waiting calls, open runs (at most 1000 of each
/// status).
#[utoipa::path(
    get,
    path = "/metrics",
    operation_id = "metrics",
    tag = "server",
    responses((status = 200, description = "The page", body = String, content_type = "text/plain"))
)]
pub(crate) async fn metrics(State(app): State<SharedApp>) -> Response {
    let mut runs = Vec::new();
    for status in OPEN {
        let filter = RunFilter {
            status: Some(status),
            limit: Some(MAX_COUNTED),
            ..RunFilter::default()
        };
        // If the store does not answer, the other metrics are still returned.
        if let Ok(rows) = app.desk().list(&filter).await {
            runs.push((status.as_str(), rows.len()));
        }
    }
    let text = "text/plain; version=0.0.4; charset=utf-8";
    ([(CONTENT_TYPE, text)], app.metrics.page(app.n_waiting(), &runs)).into_response()
}
