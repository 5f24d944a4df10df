//! Executes one call: sends the request and turns the response into chunks.

use std::sync::Arc;
use std::time::Duration;

use async_stream::stream;
use futures_util::stream::BoxStream;
use gemicro_core::flow::StepFailure;
use gemicro_core::llm::{LlmChunk, LlmRequest};
use gemicro_event::text::excerpt;
use reqwest::{Method, Response};
use serde_json::Value;

use super::answer::OpenAiAnswer;
use super::body::OptionalFields;
use super::bytes::{BodyLook, Bytes, Events, NextEvent};
use super::endpoint::OpenAiEndpoint;
use super::trouble::OpenAiTrouble;

/// Maximum time to wait for the usage once the answer is complete.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// An item of a call's output.
pub(super) type OpenAiSink = Result<LlmChunk, StepFailure>;

pub(super) fn start(endpoint: Arc<OpenAiEndpoint>, request: LlmRequest) -> BoxStream<'static, OpenAiSink> {
    Box::pin(stream! {
        let bytes = match open(&endpoint, &request).await {
            Ok(response) => {
                yield Ok(LlmChunk::Alive);
                Bytes::of(response).await
            }
            Err(trouble) => Err(trouble),
        };
        let bytes = match bytes {
            Ok(bytes) => bytes,
            Err(trouble) => {
                yield Err(trouble.into_step_failure(&endpoint));
                return;
            }
        };
        match bytes.look {
            // The response ended before it began.
            BodyLook::Empty => {}
            BodyLook::Page => {
                let trouble = OpenAiTrouble::Foreign("a web page".to_owned());
                yield Err(trouble.into_step_failure(&endpoint));
            }
            // Also from a server that ignores the request to stream.
            BodyLook::Json => match whole(bytes).await {
                Ok(chunks) => {
                    for chunk in chunks {
                        yield Ok(chunk);
                    }
                }
                Err(trouble) => yield Err(trouble.into_step_failure(&endpoint)),
            },
            BodyLook::Lines => {
                let is_typed_events = bytes.is_typed_events;
                let mut hearing = OpenAiEventStream::of(bytes.events());
                while let Some(heard) = hearing.next().await {
                    let heard = heard.map_err(|trouble| trouble.into_step_failure(&endpoint));
                    let is_failure = heard.is_err();
                    yield heard;
                    if is_failure {
                        return;
                    }
                }
                if hearing.n_events == 0 && !is_typed_events {
                    let trouble = OpenAiTrouble::Foreign("something that is neither JSON nor events".to_owned());
                    yield Err(trouble.into_step_failure(&endpoint));
                    return;
                }
                for chunk in hearing.end() {
                    yield Ok(chunk);
                }
            }
        }
    })
}

/// Sends the request, and repeats it without fields that the server refuses.
async fn open(endpoint: &OpenAiEndpoint, request: &LlmRequest) -> Result<Response, OpenAiTrouble> {
    let mut fields = OptionalFields::of(request);
    loop {
        let sent = endpoint
            .open(Method::POST, "chat/completions", Some(fields.body(request)))
            .await;
        let Err(OpenAiTrouble::Refused(refusal)) = &sent else {
            return sent;
        };
        match fields.without_refused(refusal) {
            Some(fewer) => {
                tracing::debug!(?fields, ?fewer, "a field was refused; asking without it");
                fields = fewer;
            }
            None => return sent,
        }
    }
}

/// Reads a whole answer; no chunks if it is cut off.
async fn whole(bytes: Bytes) -> Result<Vec<LlmChunk>, OpenAiTrouble> {
    let body = bytes.whole().await?;
    let value: Value = match serde_json::from_slice(&body) {
        Ok(value) => value,
        Err(error) if error.is_eof() => return Ok(Vec::new()),
        Err(_) => return Err(not_json(&body)),
    };
    let mut answer = OpenAiAnswer::new();
    let said = answer.take(&value)?;
    if !value.get("choices").is_some_and(Value::is_array) {
        let start = excerpt(&value.to_string());
        return Err(OpenAiTrouble::Foreign(format!("JSON without an answer: {start}")));
    }
    let mut chunks = vec![said];
    chunks.extend(answer.end());
    Ok(chunks)
}

/// An event stream while it is read.
struct OpenAiEventStream {
    events: Events,
    answer: OpenAiAnswer,
    n_events: usize,
    is_done: bool,
}

impl OpenAiEventStream {
    fn of(events: Events) -> Self {
        Self {
            events,
            answer: OpenAiAnswer::new(),
            n_events: 0,
            is_done: false,
        }
    }

    /// The next chunk; `None` at the end.
    async fn next(&mut self) -> Option<Result<LlmChunk, OpenAiTrouble>> {
        let next = if self.answer.has_finished() {
            // The answer is complete, so neither silence nor a broken connection matters.
            let next = tokio::time::timeout(LAST_WORDS, self.events.next()).await;
            next.ok().and_then(Result::ok).unwrap_or(NextEvent::End)
        } else {
            match self.events.next().await {
                Ok(next) => next,
                Err(trouble) => return Some(Err(trouble)),
            }
        };
        let event = match next {
            NextEvent::End => return None,
            NextEvent::Heard => return Some(Ok(LlmChunk::Alive)),
            NextEvent::Event(event) => event,
        };
        let Some(data) = event.data else {
            return Some(Ok(LlmChunk::Alive));
        };
        self.n_events += 1;
        if data.trim() == "[DONE]" {
            self.is_done = true;
            return None;
        }
        Some(match serde_json::from_str(&data) {
            Ok(value) => self.answer.take(&value),
            Err(_) => Err(not_json(data.as_bytes())),
        })
    }

    /// The final chunks after a proper end: a finish reason, or `[DONE]`.
    fn end(self) -> Vec<LlmChunk> {
        if self.answer.has_finished() || self.is_done {
            self.answer.end()
        } else {
            Vec::new()
        }
    }
}

fn not_json(body: &[u8]) -> OpenAiTrouble {
    let start = String::from_utf8_lossy(&body[..body.len().min(2_000)]);
    OpenAiTrouble::Foreign(format!("something that is not JSON: {}", excerpt(&start)))
}
