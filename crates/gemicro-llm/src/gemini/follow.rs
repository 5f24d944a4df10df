//! Follows streams, and resumes them when they break.

use std::pin::pin;
use std::time::Duration;

use async_stream::stream;
use futures_util::Stream;
use futures_util::stream::{BoxStream, StreamExt};
use gemicro_core::llm::LlmChunk;
use gemicro_event::text::excerpt;
use reqwest::Method;
use tokio::time::sleep;

use super::call::{GeminiCall, interaction, interactions, look, wait_for};
use super::endpoint::EndpointRequest;
use super::events::{EventReader, StreamItem};
use super::interaction::InteractionStatus;
use super::listener::{AnswerChannel, EventEffect, GeminiChunk, GeminiListener};
use super::trouble::GeminiTrouble;

/// Wait before a broken stream is resumed; it doubles each time.
const FIRST_WAIT: Duration = Duration::from_millis(100);
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// The source of the next part of an answer.
#[derive(Debug, Clone)]
pub(super) enum FollowSource {
    /// The POST that starts a call.
    Create(Vec<u8>),
    /// The stream of an interaction, from its start.
    Listen(String),
    /// The stream of an interaction, after an event.
    Resume {
        id: String,
        /// The last received event.
        after: String,
    },
    /// The interaction itself, without a stream.
    Look(String),
}

/// The result of reading from a source.
enum FollowMove {
    Tell(GeminiChunk),
    /// The call has ended.
    Done,
    /// The source failed before the call ended.
    Broke(GeminiTrouble),
}

/// Reads a stream until its call ends; resumes it when it breaks.
pub(super) fn follow(
    call: GeminiCall,
    mut listener: GeminiListener,
    first: FollowSource,
) -> BoxStream<'static, GeminiChunk> {
    let chunks = stream! {
        let mut opening = first;
        let mut n_resumes = 0;
        let mut can_stream = true;
        loop {
            let trouble = {
                let mut moves = pin!(read(&call, &opening, &mut listener));
                loop {
                    match moves.next().await {
                        Some(FollowMove::Tell(chunk)) => yield chunk,
                        Some(FollowMove::Broke(trouble)) => break trouble,
                        Some(FollowMove::Done) | None => return,
                    }
                }
            };
            // Refused before any work was done, so there is nothing to resume.
            if matches!(opening, FollowSource::Create(_)) && !matches!(trouble, GeminiTrouble::Cut(_)) {
                yield call.refused_start(trouble);
                return;
            }
            let Some(id) = listener.id().map(str::to_owned) else {
                yield Err(call.lost_call(trouble));
                return;
            };
            let has_no_stream = !matches!(opening, FollowSource::Look(_)) && cannot_stream(&trouble);
            can_stream &= !has_no_stream;
            if has_no_stream && matches!(opening, FollowSource::Listen(_)) {
                // Nothing was received yet: wait for the whole answer.
                let mut rest = wait_for(call, listener, id);
                while let Some(chunk) = rest.next().await {
                    yield chunk;
                }
                return;
            }
            let may_pass = trouble.passes() || has_no_stream;
            if !may_pass || n_resumes >= call.max_resumes {
                yield Err(call.lost_call(trouble));
                return;
            }
            tracing::debug!(host = call.endpoint.host(), n_resumes, ?trouble, "taking a stream up again");
            sleep((FIRST_WAIT * 2_u32.saturating_pow(n_resumes)).min(LONGEST_WAIT)).await;
            n_resumes += 1;
            opening = match listener.last_event().filter(|_| can_stream) {
                Some(after) => FollowSource::Resume { id, after: after.to_owned() },
                None => FollowSource::Look(id),
            };
        }
    };
    chunks.boxed()
}

/// Reads one source to its end.
fn read<'a>(
    call: &'a GeminiCall,
    opening: &'a FollowSource,
    listener: &'a mut GeminiListener,
) -> impl Stream<Item = FollowMove> + Send + 'a {
    stream! {
        let ask = match opening {
            FollowSource::Look(id) => {
                match look(call, id).await {
                    Ok(interaction) if interaction.status == InteractionStatus::Running => {
                        yield FollowMove::Tell(Ok(LlmChunk::Alive));
                        sleep(call.poll).await;
                        yield FollowMove::Broke(GeminiTrouble::Cut("the interaction did not end".to_owned()));
                    }
                    Ok(interaction) => {
                        for chunk in listener.settle(&interaction) {
                            yield FollowMove::Tell(chunk);
                        }
                    }
                    Err(trouble) => yield FollowMove::Broke(trouble),
                }
                return;
            }
            FollowSource::Create(body) => EndpointRequest {
                method: Method::POST,
                body: Some(body.clone()),
                ..events_of(interactions())
            },
            FollowSource::Listen(id) => stored_events(id, None),
            FollowSource::Resume { id, after } => stored_events(id, Some(after)),
        };
        let mut events = match call.endpoint.open(ask).await {
            Ok(response) => EventReader::new(response),
            Err(trouble) => {
                yield FollowMove::Broke(trouble);
                return;
            }
        };
        let last = loop {
            let event = match events.next().await {
                Some(Ok(StreamItem::Event(event))) => event,
                Some(Ok(StreamItem::Bytes)) => {
                    yield FollowMove::Tell(Ok(LlmChunk::Alive));
                    continue;
                }
                Some(Err(trouble)) => {
                    yield FollowMove::Broke(trouble);
                    return;
                }
                None => {
                    yield FollowMove::Broke(ended_early(&events, listener));
                    return;
                }
            };
            match listener.hear(event) {
                EventEffect::Open(chunks) => {
                    for chunk in chunks {
                        yield FollowMove::Tell(chunk);
                    }
                }
                EventEffect::Ended(chunks) => break chunks,
                EventEffect::Unsettled => {
                    let why = "the end came before the interaction's".to_owned();
                    yield FollowMove::Broke(GeminiTrouble::Cut(why));
                    return;
                }
            }
        };
        // The receiver stops at the last chunk, so finish first.
        events.finish();
        for chunk in last {
            yield FollowMove::Tell(chunk);
        }
        yield FollowMove::Done;
    }
}

/// A GET with an event stream as answer.
fn events_of(path: Vec<String>) -> EndpointRequest {
    EndpointRequest {
        query: vec![("alt", "sse".to_owned())],
        accept: "text/event-stream",
        within: None,
        ..EndpointRequest::get(path, Duration::ZERO)
    }
}

fn stored_events(id: &str, after: Option<&String>) -> EndpointRequest {
    let mut ask = events_of(interaction(id));
    ask.query.push(("stream", "true".to_owned()));
    ask.query
        .extend(after.map(|after| ("last_event_id", after.clone())));
    ask
}

/// The error for a body that ended before the interaction did.
fn ended_early(events: &EventReader, listener: &GeminiListener) -> GeminiTrouble {
    match (listener.voice(), events.foreign_type()) {
        (AnswerChannel::Gemini, _) => GeminiTrouble::Cut("the stream ended before the answer did".to_owned()),
        (AnswerChannel::Foreign, _) => {
            GeminiTrouble::Foreign("events that the Gemini API does not have".to_owned())
        }
        (AnswerChannel::Silent, Some(foreign_type)) => {
            GeminiTrouble::Foreign(format!("{} and no events", excerpt(foreign_type)))
        }
        (AnswerChannel::Silent, None) => GeminiTrouble::Cut("the stream ended before it began".to_owned()),
    }
}

/// Whether the service does not replay this interaction (it does so only for some), but may still have it.
fn cannot_stream(trouble: &GeminiTrouble) -> bool {
    matches!(trouble.status(), Some(400 | 404 | 405 | 416 | 501))
        || matches!(trouble, GeminiTrouble::Foreign(_))
}
