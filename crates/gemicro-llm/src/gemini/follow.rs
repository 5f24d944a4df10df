//! Streams, and how they are taken up again where they break.

use std::pin::pin;
use std::time::Duration;

use async_stream::stream;
use futures_util::Stream;
use futures_util::stream::{BoxStream, StreamExt};
use gemicro_core::llm::LlmChunk;
use gemicro_event::text::excerpt;
use reqwest::Method;
use tokio::time::sleep;

use super::call::{Call, interaction, interactions, look, wait_for};
use super::endpoint::Ask;
use super::events::{EventReader, Incoming};
use super::interaction::Status;
use super::listener::{Hearing, Listener, Told, Voice};
use super::trouble::Trouble;

/// The wait before a broken stream is taken up; it doubles.
const FIRST_WAIT: Duration = Duration::from_millis(100);
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// Where the next part of an answer comes from.
#[derive(Debug, Clone)]
pub(super) enum Opening {
    /// The one POST that starts a call.
    Create(Vec<u8>),
    /// The stream of an interaction from its beginning.
    Listen(String),
    /// What comes after an event.
    Resume {
        /// The interaction.
        id: String,
        /// The last event that was heard.
        after: String,
    },
    /// No stream any more: the interaction itself.
    Look(String),
}

/// What reading one opening comes to.
enum Move {
    Tell(Told),
    /// The call has its end.
    Done,
    /// It has none yet.
    Broke(Trouble),
}

/// Reads a stream to the end of its call; takes it up again where it breaks.
pub(super) fn follow(call: Call, mut listener: Listener, first: Opening) -> BoxStream<'static, Told> {
    let told = stream! {
        let mut opening = first;
        let mut n_resumes = 0;
        let mut can_stream = true;
        loop {
            let trouble = {
                let mut moves = pin!(read(&call, &opening, &mut listener));
                loop {
                    match moves.next().await {
                        Some(Move::Tell(chunk)) => yield chunk,
                        Some(Move::Broke(trouble)) => break trouble,
                        Some(Move::Done) | None => return,
                    }
                }
            };
            // Refused before any work was done: nothing to take up.
            if matches!(opening, Opening::Create(_)) && !matches!(trouble, Trouble::Cut(_)) {
                yield call.refused(trouble);
                return;
            }
            let Some(id) = listener.id().map(str::to_owned) else {
                yield Err(call.lost(trouble));
                return;
            };
            let has_no_stream = !matches!(opening, Opening::Look(_)) && cannot_stream(&trouble);
            can_stream &= !has_no_stream;
            if has_no_stream && matches!(opening, Opening::Listen(_)) {
                // Nothing was heard yet: wait for the whole.
                let mut rest = wait_for(call, listener, id);
                while let Some(chunk) = rest.next().await {
                    yield chunk;
                }
                return;
            }
            let may_pass = trouble.passes() || has_no_stream;
            if !may_pass || n_resumes >= call.max_resumes {
                yield Err(call.lost(trouble));
                return;
            }
            tracing::debug!(host = call.endpoint.host(), n_resumes, ?trouble, "taking a stream up again");
            sleep((FIRST_WAIT * 2_u32.saturating_pow(n_resumes)).min(LONGEST_WAIT)).await;
            n_resumes += 1;
            opening = match listener.last_event().filter(|_| can_stream) {
                Some(after) => Opening::Resume { id, after: after.to_owned() },
                None => Opening::Look(id),
            };
        }
    };
    told.boxed()
}

/// Reads one opening as far as it goes.
fn read<'a>(
    call: &'a Call,
    opening: &'a Opening,
    listener: &'a mut Listener,
) -> impl Stream<Item = Move> + Send + 'a {
    stream! {
        let ask = match opening {
            Opening::Look(id) => {
                match look(call, id).await {
                    Ok(interaction) if interaction.status == Status::Running => {
                        yield Move::Tell(Ok(LlmChunk::Alive));
                        sleep(call.poll).await;
                        yield Move::Broke(Trouble::Cut("the interaction did not end".to_owned()));
                    }
                    Ok(interaction) => {
                        for chunk in listener.settle(&interaction) {
                            yield Move::Tell(chunk);
                        }
                    }
                    Err(trouble) => yield Move::Broke(trouble),
                }
                return;
            }
            Opening::Create(body) => Ask {
                method: Method::POST,
                body: Some(body.clone()),
                ..events_of(interactions())
            },
            Opening::Listen(id) => stored_events(id, None),
            Opening::Resume { id, after } => stored_events(id, Some(after)),
        };
        let mut events = match call.endpoint.open(ask).await {
            Ok(response) => EventReader::new(response),
            Err(trouble) => {
                yield Move::Broke(trouble);
                return;
            }
        };
        let last = loop {
            let event = match events.next().await {
                Some(Ok(Incoming::Event(event))) => event,
                Some(Ok(Incoming::Bytes)) => {
                    yield Move::Tell(Ok(LlmChunk::Alive));
                    continue;
                }
                Some(Err(trouble)) => {
                    yield Move::Broke(trouble);
                    return;
                }
                None => {
                    yield Move::Broke(ended_early(&events, listener));
                    return;
                }
            };
            match listener.hear(event) {
                Hearing::Open(chunks) => {
                    for chunk in chunks {
                        yield Move::Tell(chunk);
                    }
                }
                Hearing::Ended(chunks) => break chunks,
                Hearing::Unsettled => {
                    let why = "the end came before the interaction's".to_owned();
                    yield Move::Broke(Trouble::Cut(why));
                    return;
                }
            }
        };
        // Whoever listens leaves at the last chunk.
        events.finish();
        for chunk in last {
            yield Move::Tell(chunk);
        }
        yield Move::Done;
    }
}

/// A GET whose answer is events.
fn events_of(path: Vec<String>) -> Ask {
    Ask {
        query: vec![("alt", "sse".to_owned())],
        accept: "text/event-stream",
        within: None,
        ..Ask::get(path, Duration::ZERO)
    }
}

fn stored_events(id: &str, after: Option<&String>) -> Ask {
    let mut ask = events_of(interaction(id));
    ask.query.push(("stream", "true".to_owned()));
    ask.query
        .extend(after.map(|after| ("last_event_id", after.clone())));
    ask
}

/// The body ended and the interaction did not.
fn ended_early(events: &EventReader, listener: &Listener) -> Trouble {
    match (listener.voice(), events.foreign_type()) {
        (Voice::Gemini, _) => Trouble::Cut("the stream ended before the answer did".to_owned()),
        (Voice::Foreign, _) => Trouble::Foreign("events that the Gemini API does not have".to_owned()),
        (Voice::Silent, Some(foreign_type)) => {
            Trouble::Foreign(format!("{} and no events", excerpt(foreign_type)))
        }
        (Voice::Silent, None) => Trouble::Cut("the stream ended before it began".to_owned()),
    }
}

/// The service does not replay this interaction (it does so only for some), but may still have it.
fn cannot_stream(trouble: &Trouble) -> bool {
    matches!(trouble.status(), Some(400 | 404 | 405 | 416 | 501)) || matches!(trouble, Trouble::Foreign(_))
}
