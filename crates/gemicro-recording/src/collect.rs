//! From a store to a recording.

use std::borrow::Cow;
use std::collections::{BTreeSet, VecDeque};

use gemicro_core::blob::{BlobId, Blobs};
use gemicro_core::run::events::RunReaders;
use gemicro_core::store::{Store, StreamKind};
use gemicro_event::redact::Redactor;
use gemicro_event::{ErrorKind, Event, Failure, StreamId};
use gemicro_store::DurableStore;
use serde_json::Value;

use crate::recording::{FORMAT_VERSION, LiveDelta, RecordedBlob, RecordedStream, Recording, RecordingHeader};

/// Takes a run or a conversation out of a store, with its child runs or turns and the contents that they refer to.
/// Secrets are replaced; contents that have one are left out, because their name is a hash of them.
///
/// # Errors
/// `still_running` when a run has not ended; when it does not exist or the store cannot be read.
pub async fn collect(
    store: &DurableStore,
    root: &StreamId,
    program: &str,
    redactor: &Redactor,
    live: Vec<LiveDelta>,
) -> Result<Recording, Failure> {
    let mut streams = Vec::new();
    let mut open = VecDeque::from([root.clone()]);
    while let Some(id) = open.pop_front() {
        let stream = read_stream(store, &id, redactor).await?;
        for child in store.runs_of(&id).await? {
            if stream.kind == StreamKind::Conversation || is_part(store, &child.run).await? {
                open.push_back(child.run);
            }
        }
        streams.push(stream);
    }
    let blobs = read_blobs(store, &streams, redactor).await;
    let live = live.into_iter().map(|delta| LiveDelta {
        text: redactor.redact(&delta.text).into_owned(),
        ..delta
    });
    Ok(Recording {
        header: RecordingHeader {
            recording: "gemicro".to_owned(),
            version: FORMAT_VERSION,
            program: program.to_owned(),
            kind: streams.first().map(RecordedStream::flow).unwrap_or_default(),
            root: root.clone(),
            max_prompt_tokens: None,
        },
        streams,
        blobs,
        live: live.collect(),
    })
}

async fn read_stream(
    store: &DurableStore,
    id: &StreamId,
    redactor: &Redactor,
) -> Result<RecordedStream, Failure> {
    let page = store.read(id, 0, usize::MAX).await?;
    if page.first_available.is_some() {
        let message = format!("the first events of {id} were deleted; it cannot be recorded");
        return Err(Failure::new(ErrorKind::InvalidInput, message));
    }
    let is_run = page
        .events
        .first()
        .is_some_and(|first| first.update.as_run_started().is_some());
    if is_run && !store.run(id).await?.status.is_terminal() {
        let message = format!("run {id} has not ended; when it has: gemicro export {id} --recording FILE");
        return Err(Failure::new(ErrorKind::StillRunning, message));
    }
    let events = page.events.into_iter().map(|event| clean(event, redactor));
    Ok(RecordedStream {
        id: id.clone(),
        kind: match is_run {
            true => StreamKind::Run,
            false => StreamKind::Conversation,
        },
        events: events.collect(),
    })
}

/// Whether a run is a step of its parent, and not only a later run that refers to it.
async fn is_part(store: &DurableStore, run: &StreamId) -> Result<bool, Failure> {
    let first = store.read(run, 0, 1).await?.events;
    let started = first.first().and_then(|first| first.update.as_run_started());
    Ok(started.is_some_and(|started| started.part_of_parent))
}

fn clean(mut event: Event, redactor: &Redactor) -> Event {
    event.update.message = redactor.redact(&event.update.message).into_owned();
    event.update.data = redactor.redact_json(&event.update.data);
    for (_, value) in &mut event.extra {
        *value = redactor.redact_json(value);
    }
    event
}

/// The contents that events name by their hash, and those that such contents name in turn.
async fn read_blobs(
    store: &DurableStore,
    streams: &[RecordedStream],
    redactor: &Redactor,
) -> Vec<RecordedBlob> {
    let mut seen = BTreeSet::new();
    let mut blobs = Vec::new();
    for stream in streams {
        let mut named = Vec::new();
        for event in &stream.events {
            find_names(&event.update.data, &mut named);
        }
        while let Some(id) = named.pop() {
            if !seen.insert(id.clone()) {
                continue;
            }
            // Not every hash names contents of the store.
            let Ok(bytes) = store.get(&id).await else { continue };
            if let Ok(text) = std::str::from_utf8(&bytes) {
                if matches!(redactor.redact(text), Cow::Owned(_)) {
                    continue;
                }
                if let Ok(value) = serde_json::from_str(text) {
                    find_names(&value, &mut named);
                }
            }
            blobs.push(RecordedBlob {
                stream: stream.id.clone(),
                bytes: bytes.to_vec(),
            });
        }
    }
    blobs
}

fn find_names(value: &Value, named: &mut Vec<BlobId>) {
    match value {
        Value::String(text) => named.extend(BlobId::parse(text)),
        Value::Array(items) => items.iter().for_each(|item| find_names(item, named)),
        Value::Object(fields) => {
            for (key, item) in fields {
                named.extend(BlobId::parse(key));
                find_names(item, named);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
