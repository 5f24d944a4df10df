//! A client's view of a generation: frames as bytes, with cuts, hangs and other faults.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use futures_util::stream::BoxStream;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::generation::{Generation, GenerationEnd, GenerationFrame};
use crate::scenario::AnswerFault;

type ByteStream = BoxStream<'static, Result<Bytes, io::Error>>;

/// An invalid answer that starts like JSON.
pub(crate) const GARBAGE: &str =
    "{\"id\":\"v1_\u{fffd}\",\"steps\":[{\"type\":\"model_out\n<<< not json >>>\n";

/// Time for the server to send buffered data before the connection is broken.
pub(crate) const FLUSH: Duration = Duration::from_millis(5);

/// An event that no client knows yet.
const FUTURE_EVENT: &str = "event: future.event\r\ndata: {\"event_type\":\"future.event\",\"x\":1}\r\n\r\n";
const FUTURE_TYPE: &str = "event: future.event\r\ndata: {\"type\":\"future.event\",\"x\":1}\r\n\r\n";

/// The wire format of frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Server-sent events of the Interactions API, `[DONE]` last.
    InteractionEvents,
    /// Server-sent events of `streamGenerateContent`: data lines only.
    ContentEvents,
    /// One JSON array, sent in chunks.
    ContentArray,
    /// Server-sent events of chat completions: data lines only, `[DONE]` last.
    ChatEvents,
    /// Server-sent events of Messages and Responses: named after their `type`, no final marker.
    TypedEvents,
}

/// One client's read of a generation.
pub(crate) struct GenerationReader {
    pub(crate) generation: Arc<Generation>,
    /// Number of frames that the client already has.
    pub(crate) skip: usize,
    pub(crate) encoding: Encoding,
    pub(crate) fault: Option<AnswerFault>,
    pub(crate) shutdown: CancellationToken,
}

/// Returns the body of the response.
pub(crate) fn read(reading: GenerationReader) -> ByteStream {
    let GenerationReader {
        generation,
        skip,
        encoding,
        fault,
        shutdown,
    } = reading;
    Box::pin(async_stream::stream! {
        if matches!(fault, Some(AnswerFault::Garbage)) {
            yield Ok(Bytes::from(garbage(encoding)));
            return;
        }
        let mut n_sent = skip;
        let mut n_chunks = 0;
        loop {
            let progress = tokio::select! {
                () = shutdown.cancelled() => {
                    yield Err(io::Error::other("the simulator stopped"));
                    return;
                }
                progress = generation.beyond(n_sent) => progress,
            };
            while n_sent < progress.n_released {
                let frame = &generation.frames[n_sent];
                let is_last = n_sent + 1 == generation.frames.len();
                match spoilt(&fault, frame, n_chunks, is_last) {
                    SpoiltText::No => {}
                    SpoiltText::Broken => {
                        tokio::time::sleep(FLUSH).await;
                        yield Err(io::Error::other("the scenario cuts the stream here"));
                        return;
                    }
                    SpoiltText::Ended => return,
                    SpoiltText::Silent => {
                        shutdown.cancelled().await;
                        return;
                    }
                }
                let is_first = n_sent == 0;
                yield Ok(Bytes::from(match fault {
                    Some(AnswerFault::Noise) => encoding.noisy(&frame.json, is_first),
                    _ => encoding.frame(&frame.json, is_first),
                }));
                n_sent += 1;
                n_chunks += usize::from(frame.is_chunk);
            }
            match progress.end {
                None => {}
                Some(GenerationEnd::Cancelled) => {
                    if let Some(frame) = &generation.on_cancel {
                        yield Ok(Bytes::from(encoding.frame(frame, n_sent == 0)));
                    }
                    break;
                }
                Some(GenerationEnd::Finished) => break,
            }
        }
        yield Ok(Bytes::from_static(encoding.last().as_bytes()));
    })
}

enum SpoiltText {
    No,
    Broken,
    Ended,
    Silent,
}

/// Returns whether the connection fails before this frame. A cut always happens, at the latest before the last frame.
fn spoilt(
    fault: &Option<AnswerFault>,
    frame: &GenerationFrame,
    n_chunks: usize,
    is_last: bool,
) -> SpoiltText {
    match fault {
        Some(AnswerFault::Cut(cut)) if is_last || (frame.is_chunk && n_chunks >= cut.after_chunks) => {
            if cut.clean {
                SpoiltText::Ended
            } else {
                SpoiltText::Broken
            }
        }
        Some(AnswerFault::Hang(hang))
            if is_last || (frame.is_chunk && hang.after_chunks.is_none_or(|most| n_chunks >= most)) =>
        {
            SpoiltText::Silent
        }
        _ => SpoiltText::No,
    }
}

impl Encoding {
    pub(crate) fn content_type(self) -> &'static str {
        match self {
            Self::InteractionEvents | Self::ContentEvents | Self::ChatEvents | Self::TypedEvents => {
                "text/event-stream"
            }
            Self::ContentArray => "application/json; charset=UTF-8",
        }
    }

    fn frame(self, json: &Value, is_first: bool) -> String {
        match self {
            Self::InteractionEvents => named_event(json, "event_type"),
            Self::TypedEvents => named_event(json, "type"),
            Self::ContentEvents => format!("data: {json}\r\n\r\n"),
            Self::ContentArray => format!("{}{json}\n", if is_first { "[" } else { ",\r\n" }),
            Self::ChatEvents => format!("data: {json}\n\n"),
        }
    }

    /// Returns the frame with additions that clients must ignore. `streamGenerateContent` gets no comments, because the
    /// official SDK cannot parse them.
    fn noisy(self, json: &Value, is_first: bool) -> String {
        let mut json = json.clone();
        json["future_field"] = json!({"nested": [1, 2]});
        let frame = self.frame(&json, is_first);
        match self {
            Self::InteractionEvents => format!(
                ": keep-alive\r\n\r\n{}{FUTURE_EVENT}",
                frame.replace('\n', "\r\n")
            ),
            Self::TypedEvents => format!(": keep-alive\r\n\r\n{}{FUTURE_TYPE}", frame.replace('\n', "\r\n")),
            Self::ChatEvents => format!(": keep-alive\r\n\r\n{}", frame.replace('\n', "\r\n")),
            Self::ContentEvents | Self::ContentArray => frame,
        }
    }

    fn last(self) -> &'static str {
        match self {
            Self::InteractionEvents => "event: done\ndata: [DONE]\n\n",
            Self::ChatEvents => "data: [DONE]\n\n",
            Self::ContentEvents | Self::TypedEvents => "",
            Self::ContentArray => "]",
        }
    }
}

/// Formats an event whose name is in the given field.
fn named_event(json: &Value, field: &str) -> String {
    let name = json.get(field).and_then(Value::as_str).unwrap_or("message");
    format!("event: {name}\ndata: {json}\n\n")
}

fn garbage(encoding: Encoding) -> String {
    match encoding {
        Encoding::InteractionEvents => {
            "event: step.delta\ndata: {\"index\":0,\"delta\":{\"type\":\"te\n\ndata: <<< not json >>>\n\n"
                .to_owned()
        }
        Encoding::ContentEvents => {
            "data: {\"candidates\":[{\"content\":\r\n\r\ndata: <<< not json >>>\r\n\r\n".to_owned()
        }
        Encoding::ChatEvents => "data: {\"choices\":[{\"delta\":\n\ndata: <<< not json >>>\n\n".to_owned(),
        Encoding::TypedEvents => {
            "event: message_start\ndata: {\"type\":\"mess\n\ndata: <<< not json >>>\n\n".to_owned()
        }
        Encoding::ContentArray => GARBAGE.to_owned(),
    }
}
