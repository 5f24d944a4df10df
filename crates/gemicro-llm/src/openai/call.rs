//! One call: sent, heard piece by piece, ended.

use std::sync::Arc;
use std::time::Duration;

use async_stream::stream;
use futures_util::stream::BoxStream;
use gemicro_core::flow::StepFailure;
use gemicro_core::llm::{LlmChunk, LlmRequest};
use gemicro_event::text::excerpt;
use reqwest::{Method, Response};
use serde_json::Value;

use super::answer::Answer;
use super::body::Fields;
use super::bytes::{Bytes, Events, Look, Next};
use super::endpoint::Endpoint;
use super::trouble::Trouble;

/// How long to wait for the usage once the answer is complete.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// What a listener hears.
pub(super) type Told = Result<LlmChunk, StepFailure>;

/// Starts a call.
pub(super) fn start(endpoint: Arc<Endpoint>, request: LlmRequest) -> BoxStream<'static, Told> {
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
            // Cut before it began.
            Look::Empty => {}
            Look::Page => {
                let trouble = Trouble::Foreign("a web page".to_owned());
                yield Err(trouble.into_step_failure(&endpoint));
            }
            // Also a server that does not stream, asked for a stream.
            Look::Json => match whole(bytes).await {
                Ok(chunks) => {
                    for chunk in chunks {
                        yield Ok(chunk);
                    }
                }
                Err(trouble) => yield Err(trouble.into_step_failure(&endpoint)),
            },
            Look::Lines => {
                let is_typed_events = bytes.is_typed_events;
                let mut hearing = Hearing::of(bytes.events());
                while let Some(heard) = hearing.next().await {
                    let heard = heard.map_err(|trouble| trouble.into_step_failure(&endpoint));
                    let is_failure = heard.is_err();
                    yield heard;
                    if is_failure {
                        return;
                    }
                }
                if hearing.n_events == 0 && !is_typed_events {
                    let trouble = Trouble::Foreign("something that is neither JSON nor events".to_owned());
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

/// Sends the request, and again without what the server does not know.
async fn open(endpoint: &Endpoint, request: &LlmRequest) -> Result<Response, Trouble> {
    let mut fields = Fields::of(request);
    loop {
        let sent = endpoint
            .open(Method::POST, "chat/completions", Some(fields.body(request)))
            .await;
        let Err(Trouble::Refused(refusal)) = &sent else {
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

/// A whole answer; nothing where it ends in its middle.
async fn whole(bytes: Bytes) -> Result<Vec<LlmChunk>, Trouble> {
    let body = bytes.whole().await?;
    let value: Value = match serde_json::from_slice(&body) {
        Ok(value) => value,
        Err(error) if error.is_eof() => return Ok(Vec::new()),
        Err(_) => return Err(not_json(&body)),
    };
    let mut answer = Answer::new();
    let said = answer.take(&value)?;
    if !value.get("choices").is_some_and(Value::is_array) {
        let start = excerpt(&value.to_string());
        return Err(Trouble::Foreign(format!("JSON without an answer: {start}")));
    }
    let mut chunks = vec![said];
    chunks.extend(answer.end());
    Ok(chunks)
}

/// A stream of events as it is heard.
struct Hearing {
    events: Events,
    answer: Answer,
    n_events: usize,
    is_done: bool,
}

impl Hearing {
    fn of(events: Events) -> Self {
        Self {
            events,
            answer: Answer::new(),
            n_events: 0,
            is_done: false,
        }
    }

    /// The next chunk, as long as there are any.
    async fn next(&mut self) -> Option<Result<LlmChunk, Trouble>> {
        let next = if self.answer.has_finished() {
            // The answer is complete: neither silence nor a broken connection can spoil it.
            let next = tokio::time::timeout(LAST_WORDS, self.events.next()).await;
            next.ok().and_then(Result::ok).unwrap_or(Next::End)
        } else {
            match self.events.next().await {
                Ok(next) => next,
                Err(trouble) => return Some(Err(trouble)),
            }
        };
        let event = match next {
            Next::End => return None,
            Next::Heard => return Some(Ok(LlmChunk::Alive)),
            Next::Event(event) => event,
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

    /// The end, if it was a proper one: a reason, or `[DONE]`.
    fn end(self) -> Vec<LlmChunk> {
        if self.answer.has_finished() || self.is_done {
            self.answer.end()
        } else {
            Vec::new()
        }
    }
}

fn not_json(body: &[u8]) -> Trouble {
    let start = String::from_utf8_lossy(&body[..body.len().min(2_000)]);
    Trouble::Foreign(format!("something that is not JSON: {}", excerpt(&start)))
}
