//! Streams events as server-sent events, together with the text that is being written. The reader sets the pace: each
//! item is produced after the previous one was taken, and text that arrives meanwhile is sent as one piece.

use std::convert::Infallible;
use std::time::Duration;

use async_stream::stream;
use axum::body::Body;
use axum::response::Response;
use futures_util::StreamExt;
use gemicro_core::live::LiveItem;
use gemicro_engine::{RunSighting, RunSightings};
use gemicro_event::{Event, StreamId, Timestamp, is_terminal};
use hyper::body::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use serde_json::json;
use tokio::sync::OwnedSemaphorePermit;

use super::run_events::EVENT_STREAM;
use crate::app::SharedApp;

/// Interval of keep-alive messages on a silent stream.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// The keep-alive message: a comment.
const COMMENT: &[u8] = b": waiting\n\n";
/// Event name of a piece of text.
const TEXT_DELTA: &str = "text_delta";

/// Which part of a run to stream.
pub(super) struct FollowedRun {
    /// Only events after this number.
    pub(super) after: u64,
    /// Whether to stream text while it is written.
    pub(super) with_text: bool,
}

/// Streams the events after a number, until the run or the server ends. If the run can no longer be watched, the stream
/// ends without the run's last event; the client then reconnects with `Last-Event-ID`.
pub(super) fn stream(
    app: SharedApp,
    place: OwnedSemaphorePermit,
    mut watching: RunSightings,
    asked: FollowedRun,
) -> Response {
    let FollowedRun { after, with_text } = asked;
    let events = stream! {
        let _place = place;
        let mut last_seq = after;
        loop {
            let item = tokio::select! {
                item = watching.items.next() => item,
                () = tokio::time::sleep(KEEP_ALIVE) => {
                    yield Ok::<_, Infallible>(Bytes::from_static(COMMENT));
                    continue;
                }
                () = app.shutdown.cancelled() => return,
            };
            match item {
                Some(Ok(RunSighting::Event(event))) if event.seq > after => {
                    last_seq = event.seq;
                    yield Ok(Bytes::from(line(&event)));
                    if is_terminal(&event.update.event_type) {
                        return;
                    }
                }
                Some(Ok(RunSighting::Event(_))) => {}
                Some(Ok(RunSighting::Live(piece))) => {
                    if with_text {
                        yield Ok(Bytes::from(delta(&watching.run, last_seq, &piece)));
                    }
                }
                Some(Err(failure)) => {
                    tracing::warn!(run = %watching.run, %failure, "a run can no longer be watched");
                    return;
                }
                None => return,
            }
        }
    };
    let mut response = Response::new(Body::from_stream(events));
    let event_stream = HeaderValue::from_static(EVENT_STREAM);
    response.headers_mut().insert(CONTENT_TYPE, event_stream);
    response
}

/// Formats a piece of text. It has no `id`, because it is not an event of the journal. `seq` is that of the last event
/// before it, so a client that continues from it misses nothing.
fn delta(run: &StreamId, last_seq: u64, piece: &LiveItem) -> String {
    let data = json!({
        "stream": run,
        "seq": last_seq,
        "event_type": TEXT_DELTA,
        "message": "",
        "timestamp": Timestamp::now(),
        "data": { "attempt": piece.attempt, "offset": piece.offset, "text": piece.text },
        "step": piece.step,
    });
    format!("event: {TEXT_DELTA}\ndata: {data}\n\n")
}

/// Formats one event. The JSON has no line breaks, but an event type from another program could.
fn line(event: &Event) -> String {
    let event_type: String = event
        .update
        .event_type
        .chars()
        .filter(|letter| !letter.is_control())
        .collect();
    let data = serde_json::to_string(event).unwrap_or_default();
    format!("id: {}\nevent: {event_type}\ndata: {data}\n\n", event.seq)
}

#[cfg(test)]
mod tests {
    use gemicro_event::{AgentUpdate, Json};

    use super::*;

    #[test]
    fn no_fact_can_forge_another() {
        let event = Event {
            stream: StreamId::new("run").expect("an id"),
            seq: 7,
            schema_version: 1,
            update: AgentUpdate {
                event_type: "odd\ndata: forged\n\nid: 9".to_owned(),
                message: "two\nlines".to_owned(),
                timestamp: Timestamp::default(),
                data: Json::from_text("{\n\"a\": \"b\\nc\"}").expect("JSON"),
            },
            step: None,
            parent_run: None,
            trace: None,
            extra: Vec::new(),
        };
        let text = line(&event);
        let lines: Vec<&str> = text.split('\n').collect();
        assert_eq!(lines.len(), 5, "{text}");
        assert_eq!(lines[..2], ["id: 7", "event: odddata: forgedid: 9"]);
        let data = lines[2].strip_prefix("data: ").expect("data");
        assert_eq!(serde_json::from_str::<Event>(data).expect("an event"), event);
    }
}
