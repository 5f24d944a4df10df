//! Reads the bytes of an answer, limited in size.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;

use futures_util::stream::{BoxStream, StreamExt};
use reqwest::Response;
use reqwest::header::CONTENT_TYPE;
use sse_stream::{Sse, SseByteStream};

use super::trouble::OpenAiTrouble;
use crate::http::{ANSWER_BYTES, root_cause};

#[derive(Debug, thiserror::Error)]
enum ByteError {
    #[error("too large")]
    TooLarge,
    #[error("{0}")]
    Broken(String),
}

impl From<ByteError> for OpenAiTrouble {
    fn from(error: ByteError) -> Self {
        match error {
            ByteError::TooLarge => Self::TooLarge,
            ByteError::Broken(why) => Self::Cut(why),
        }
    }
}

type ByteChunk = Vec<u8>;
type Pieces = BoxStream<'static, Result<std::io::Cursor<ByteChunk>, ByteError>>;

/// The format of an answer, judged by its first byte, because its content type is often wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BodyLook {
    Empty,
    Json,
    Page,
    /// Lines: events, or an unknown format.
    Lines,
}

/// The body of an answer whose first byte has been read.
pub(super) struct Bytes {
    pub(super) look: BodyLook,
    /// Whether its content type is an event stream.
    pub(super) is_typed_events: bool,
    pieces: Pieces,
    heard: Arc<AtomicBool>,
}

impl Bytes {
    /// Waits for the first byte.
    pub(super) async fn of(response: Response) -> Result<Self, OpenAiTrouble> {
        let content_type = response.headers().get(CONTENT_TYPE);
        let content_type = content_type
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default();
        let is_typed_events = content_type.starts_with("text/event-stream");
        let heard = Arc::new(AtomicBool::new(false));
        let mut pieces = limit_size(response, Arc::clone(&heard));
        let mut start = Vec::new();
        let first = loop {
            match pieces.next().await {
                Some(piece) => start.extend_from_slice(piece?.get_ref()),
                None => break None,
            }
            let text = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&start);
            if let Some(first) = text.iter().find(|byte| !byte.is_ascii_whitespace()) {
                break Some(*first);
            }
        };
        let look = match first {
            None => BodyLook::Empty,
            Some(b'{' | b'[') => BodyLook::Json,
            Some(b'<') => BodyLook::Page,
            Some(_) => BodyLook::Lines,
        };
        let start = futures_util::stream::iter([Ok(std::io::Cursor::new(start))]);
        Ok(Self {
            look,
            is_typed_events,
            pieces: start.chain(pieces).boxed(),
            heard,
        })
    }

    pub(super) async fn whole(mut self) -> Result<Vec<u8>, OpenAiTrouble> {
        let mut whole = Vec::new();
        while let Some(piece) = self.pieces.next().await {
            whole.extend_from_slice(piece?.get_ref());
        }
        Ok(whole)
    }

    pub(super) fn events(self) -> Events {
        Events {
            events: SseByteStream::new(self.pieces),
            heard: self.heard,
        }
    }
}

/// The events of an answer.
pub(super) struct Events {
    events: SseByteStream<Pieces>,
    heard: Arc<AtomicBool>,
}

/// The next item of an event stream.
#[derive(Debug)]
pub(super) enum NextEvent {
    Event(Sse),
    /// Bytes that are not an event yet: a comment, or part of an event.
    Heard,
    End,
}

impl Events {
    pub(super) async fn next(&mut self) -> Result<NextEvent, OpenAiTrouble> {
        std::future::poll_fn(|cx| {
            let polled = Pin::new(&mut self.events).poll_next_unpin(cx);
            let heard = self.heard.swap(false, Ordering::Relaxed);
            match polled {
                Poll::Ready(Some(Ok(event))) => Poll::Ready(Ok(NextEvent::Event(event))),
                Poll::Ready(Some(Err(error))) => Poll::Ready(Err(trouble_of(error))),
                Poll::Ready(None) => Poll::Ready(Ok(NextEvent::End)),
                // The caller polls again at once, so the wake-up is not lost.
                Poll::Pending if heard => Poll::Ready(Ok(NextEvent::Heard)),
                Poll::Pending => Poll::Pending,
            }
        })
        .await
    }
}

fn limit_size(response: Response, heard: Arc<AtomicBool>) -> Pieces {
    let mut n_bytes = 0;
    let pieces = response.bytes_stream().map(move |piece| {
        heard.store(true, Ordering::Relaxed);
        match piece {
            Ok(piece) => {
                n_bytes += piece.len();
                if n_bytes > ANSWER_BYTES {
                    return Err(ByteError::TooLarge);
                }
                Ok(std::io::Cursor::new(piece.to_vec()))
            }
            Err(error) => Err(ByteError::Broken(root_cause(&error))),
        }
    });
    pieces.boxed()
}

fn trouble_of(error: sse_stream::Error) -> OpenAiTrouble {
    match error {
        sse_stream::Error::Body(error) => match error.downcast::<ByteError>() {
            Ok(error) => OpenAiTrouble::from(*error),
            Err(error) => OpenAiTrouble::Cut(error.to_string()),
        },
        error => OpenAiTrouble::Foreign(format!("events that cannot be read: {error}")),
    }
}
