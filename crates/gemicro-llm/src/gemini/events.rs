//! Reads the events of a stream from the connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::{Either, FutureExt, select};
use futures_util::stream::{BoxStream, StreamExt};
use gemicro_event::text::excerpt;
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use sse_stream::{Sse, SseByteStream};
use tokio::sync::Notify;

use super::endpoint::trouble_of;
use super::interaction::InteractionEvent;
use super::trouble::GeminiTrouble;
use super::wire::read_event;
use crate::http::ANSWER_BYTES;

/// Maximum time for the end of the body after its last event.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// An item of a stream.
#[derive(Debug, PartialEq)]
pub(super) enum StreamItem {
    Event(InteractionEvent),
    /// Bytes that are not an event yet: a keep-alive, or part of a large event.
    Bytes,
}

/// Reads one stream. The size of an event is limited like that of an answer.
pub(super) struct EventReader {
    frames: BoxStream<'static, Result<Sse, sse_stream::Error>>,
    arrivals: Arc<Arrivals>,
    /// The content type of the response, if it is not an event stream.
    foreign_type: Option<String>,
}

/// The bytes that have arrived since the last event.
#[derive(Debug, Default)]
struct Arrivals {
    n_bytes: AtomicUsize,
    pulse: Notify,
}

#[derive(Debug, thiserror::Error)]
enum BrokenStream {
    #[error("the connection broke")]
    Connection(#[source] reqwest::Error),
    #[error("an event is too large")]
    TooLarge,
}

impl EventReader {
    pub(super) fn new(response: Response) -> Self {
        let arrivals = Arc::new(Arrivals::default());
        let content_type = response.headers().get(CONTENT_TYPE);
        let content_type = content_type.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
        let content_type = content_type.unwrap_or_else(|| "nothing that has a type".to_owned());
        let seen = Arc::clone(&arrivals);
        let bytes = response.bytes_stream().map(move |piece| {
            let piece = piece.map_err(BrokenStream::Connection)?;
            let n_bytes = seen.n_bytes.fetch_add(piece.len(), Ordering::Relaxed) + piece.len();
            seen.pulse.notify_one();
            if n_bytes > ANSWER_BYTES {
                return Err(BrokenStream::TooLarge);
            }
            Ok(piece)
        });
        Self {
            frames: SseByteStream::new(bytes).boxed(),
            arrivals,
            foreign_type: (!content_type.starts_with("text/event-stream")).then_some(content_type),
        }
    }

    /// The content type of the response, if it is not an event stream.
    pub(super) fn foreign_type(&self) -> Option<&str> {
        self.foreign_type.as_deref()
    }

    /// Reads to the end of the body, which follows immediately, so that the connection can be reused.
    pub(super) fn finish(mut self) {
        let at_once = async move { while let Some(Ok(_)) = self.frames.next().await {} };
        let mut at_once = Box::pin(tokio::time::timeout(LAST_WORDS, at_once));
        if (&mut at_once).now_or_never().is_none() {
            tokio::spawn(at_once);
        }
    }

    /// The next item; `None` at the end of the body.
    pub(super) async fn next(&mut self) -> Option<Result<StreamItem, GeminiTrouble>> {
        loop {
            let arrivals = Arc::clone(&self.arrivals);
            let arrived = std::pin::pin!(arrivals.pulse.notified());
            let frame = match select(self.frames.next(), arrived).await {
                Either::Left((frame, _)) => frame?,
                Either::Right(((), _)) => return Some(Ok(StreamItem::Bytes)),
            };
            self.arrivals.n_bytes.store(0, Ordering::Relaxed);
            // The event itself already counts as activity.
            let _ = self.arrivals.pulse.notified().now_or_never();
            let frame = match frame {
                Ok(frame) => frame,
                Err(error) => return Some(Err(trouble(error))),
            };
            let data = frame.data.as_deref().unwrap_or_default().trim();
            if data.is_empty() || data == "[DONE]" {
                continue;
            }
            return Some(match serde_json::from_str(data) {
                Ok(value) => Ok(StreamItem::Event(read_event(frame.event.as_deref(), &value))),
                Err(_) => Err(GeminiTrouble::Foreign(format!(
                    "an event that is not JSON: {}",
                    excerpt(data)
                ))),
            });
        }
    }
}

fn trouble(error: sse_stream::Error) -> GeminiTrouble {
    match error {
        sse_stream::Error::Body(broken) => match broken.downcast::<BrokenStream>().map(|broken| *broken) {
            Ok(BrokenStream::Connection(error)) => trouble_of(error, None, GeminiTrouble::Cut),
            Ok(BrokenStream::TooLarge) => GeminiTrouble::TooLarge(ANSWER_BYTES),
            Err(other) => GeminiTrouble::Cut(excerpt(&other.to_string())),
        },
        other => GeminiTrouble::Foreign(format!("a stream that is not text: {other}")),
    }
}
