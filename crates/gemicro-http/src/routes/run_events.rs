//! `/v1/runs/{id}/events`: the events of a run, as a page or a stream.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use gemicro_event::{Event, StreamId};
use hyper::header::{ACCEPT, HeaderName};
use hyper::{HeaderMap, StatusCode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;

use super::event_stream::{FollowedRun, stream};
use crate::app::SharedApp;
use crate::parameters::{Id, QueryParameters};
use crate::trouble::{HttpTrouble, json};

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
/// The content type of an event stream.
pub(super) const EVENT_STREAM: &str = "text/event-stream";
/// Default number of events on a page.
const USUAL_LIMIT: usize = 500;
const MAX_LIMIT: usize = 5_000;

/// A part of a run's journal.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EventPage {
    run: StreamId,
    /// The events, in order.
    #[schemars(with = "Vec<crate::document::shapes::EventShape>")]
    events: Vec<Event>,
    /// Number of the last event of the run; the next page begins after the last event of this page.
    last_seq: u64,
    /// Whether the run has ended, so that no more events follow.
    ended: bool,
}

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct EventsQuery {
    /// Only events after this number.
    #[param(minimum = 0)]
    after: Option<u64>,
    /// Maximum number of events; a stream has no limit.
    #[param(minimum = 1, maximum = 5000)]
    limit: Option<usize>,
    /// Whether a stream includes text that is being written, as `text_delta`; yes by default.
    text: Option<bool>,
}

/// Returns the events of a run: a page of JSON or, with `Accept: text/event-stream`, a stream until the end of the run.
/// In a stream, `id` is the number of an event and `event` its type; `Last-Event-ID` continues after that number. A
/// stream also has `text_delta` items without an `id` (schema TextDelta): first the text so far of every step that is
/// writing, then new text.
#[utoipa::path(
    get,
    path = "/v1/runs/{id}/events",
    operation_id = "list_events",
    tag = "runs",
    params(
        ("id" = String, Path, pattern = "^[A-Za-z0-9_-]{4,64}$", description = "Its id, or the beginning of it"),
        ("Last-Event-ID" = Option<u64>, Header, description = "Only events after this number; takes precedence over `after`"),
        EventsQuery,
    ),
    responses(
        (status = 200, description = "The events", content(
            (ref("#/components/schemas/EventPage") = "application/json"),
            (String = "text/event-stream"),
        )),
        (status = 204, description = "The run has ended and every event was seen: nothing is left to stream"),
    )
)]
pub(crate) async fn events(
    State(app): State<SharedApp>,
    Id(id): Id,
    headers: HeaderMap,
    QueryParameters(query): QueryParameters<EventsQuery>,
) -> Result<Response, HttpTrouble> {
    let after = after(&headers, query.after)?;
    let limit = match query.limit.unwrap_or(USUAL_LIMIT) {
        limit @ 1..=MAX_LIMIT => limit,
        _ => {
            return Err(HttpTrouble::invalid(format!(
                "`limit` must be between 1 and {MAX_LIMIT}"
            )));
        }
    };
    let row = app.desk().find(id.as_str()).await?;
    if !wants_stream(&headers) {
        let all = app.desk().events(&row.run).await?;
        let last = all.last();
        let page = EventPage {
            last_seq: last.map_or(0, |event| event.seq),
            ended: last.is_some_and(|event| gemicro_event::is_terminal(&event.update.event_type)),
            run: row.run,
            events: all
                .into_iter()
                .filter(|event| event.seq > after)
                .take(limit)
                .collect(),
        };
        return Ok(json(StatusCode::OK, &page));
    }
    if row.status.is_terminal() && after >= row.n_events {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let place = app.place_to_wait()?;
    let watching = app.desk().watch(&row.run).await?;
    let with_text = query.text.unwrap_or(true);
    Ok(stream(app, place, watching, FollowedRun { after, with_text }))
}

fn after(headers: &HeaderMap, asked: Option<u64>) -> Result<u64, HttpTrouble> {
    if asked.is_some_and(|asked| i64::try_from(asked).is_err()) {
        return Err(HttpTrouble::invalid("`after` is not the number of an event"));
    }
    match headers.get(LAST_EVENT_ID) {
        None => Ok(asked.unwrap_or(0)),
        Some(value) => {
            let number: Option<i64> = value.to_str().ok().and_then(|text| text.trim().parse().ok());
            let number = number.and_then(|number| u64::try_from(number).ok());
            number.ok_or_else(|| HttpTrouble::invalid("Last-Event-ID is not the number of an event"))
        }
    }
}

fn wants_stream(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(ACCEPT).iter();
    accepted
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|range| {
            let essence = range.split(';').next().unwrap_or_default();
            essence.trim().eq_ignore_ascii_case(EVENT_STREAM)
        })
}
