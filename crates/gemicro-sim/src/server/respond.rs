//! Creates responses: JSON, streams, recordings.

use std::io;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use serde_json::{Value, json};

use super::refusal::SimulatedRefusal;
use super::world::ServerWorld;
use crate::play::{FLUSH, GARBAGE, GenerationReader, read};
use crate::scenario::{AnswerFault, RawReply};

const JSON: &str = "application/json; charset=UTF-8";

/// Headers of a single connection, which are not replayed.
const NOT_REPLAYED: &[&str] = &["content-length", "transfer-encoding", "connection"];

/// The current time in the format of the OpenAI API.
pub(crate) fn seconds_since_1970() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |now| now.as_secs())
}

/// Creates a response with HTTP 200 and a JSON body.
pub(crate) fn json_response(body: &Value) -> Response {
    with_type(Body::from(body.to_string()), JSON)
}

/// Creates a JSON response with the faults of its connection: it may hang, be cut off, or be replaced.
pub(crate) async fn spoilt_json(
    world: &ServerWorld,
    body: &Value,
    fault: Option<&AnswerFault>,
) -> Result<Response, SimulatedRefusal> {
    let whole = body.to_string();
    match fault {
        Some(AnswerFault::Hang(_)) => {
            world.shutdown.cancelled().await;
            Err(SimulatedRefusal::new(503, "the simulator stopped"))
        }
        Some(AnswerFault::Cut(cut)) => {
            let start = Bytes::copy_from_slice(&whole.as_bytes()[..whole.len() / 2]);
            let clean = cut.clean;
            let body = async_stream::stream! {
                yield Ok(start);
                if !clean {
                    tokio::time::sleep(FLUSH).await;
                    yield Err(io::Error::other("the scenario cuts the body here"));
                }
            };
            Ok(with_type(Body::from_stream(body), JSON))
        }
        Some(AnswerFault::Garbage) => Ok(with_type(Body::from(GARBAGE), JSON)),
        Some(AnswerFault::Noise) => {
            let mut body = body.clone();
            body["future_field"] = json!({"nested": [1, 2]});
            Ok(json_response(&body))
        }
        Some(AnswerFault::ContentType(name)) => Ok(with_type(Body::from(whole), name)),
        Some(
            AnswerFault::Empty
            | AnswerFault::Safety(_)
            | AnswerFault::MaxTokens(_)
            | AnswerFault::StreamError(_),
        )
        | None => Ok(json_response(body)),
    }
}

/// Creates a streamed response, once its first frame is released.
pub(crate) async fn stream_response(reading: GenerationReader) -> Response {
    if matches!(&reading.fault, Some(AnswerFault::Hang(hang)) if hang.after_chunks.is_none()) {
        reading.shutdown.cancelled().await;
    }
    tokio::select! {
        () = reading.shutdown.cancelled() => {}
        _ = reading.generation.beyond(reading.skip) => {}
    }
    let content_type = match &reading.fault {
        Some(AnswerFault::ContentType(name)) => name.clone(),
        _ => reading.encoding.content_type().to_owned(),
    };
    with_type(Body::from_stream(read(reading)), &content_type)
}

/// Creates a response with HTTP 200 and any body.
fn with_type(body: Body, content_type: &str) -> Response {
    let mut response = Response::new(body);
    if let Ok(value) = HeaderValue::from_str(content_type) {
        response.headers_mut().insert(CONTENT_TYPE, value);
    }
    response
}

/// Replays a recorded response with its timing.
pub(crate) fn raw_response(raw: &RawReply) -> Response {
    let RawReply {
        status,
        headers,
        chunks,
        broken,
    } = raw.clone();
    let body = async_stream::stream! {
        for chunk in chunks {
            if chunk.after_ms > 0 {
                tokio::time::sleep(Duration::from_millis(chunk.after_ms)).await;
            }
            yield Ok(Bytes::from(chunk.text));
        }
        if broken {
            tokio::time::sleep(FLUSH).await;
            yield Err(io::Error::other("the recorded body broke off here"));
        }
    };
    let mut response = Response::new(Body::from_stream(body));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
    for (name, value) in headers {
        if NOT_REPLAYED.contains(&name.to_ascii_lowercase().as_str()) {
            continue;
        }
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}
