//! From a recording to the empty store of a replay: what is not driven again.

use gemicro_core::blob::Blobs;
use gemicro_core::store::{NewEvent, NewStream, Store, StreamKind};
use gemicro_event::Failure;
use gemicro_store::DurableStore;

use crate::recording::Recording;

/// Writes the contents and the conversations of a recording into a store. Its runs are left to the driver.
///
/// # Errors
/// When the store cannot be written.
pub async fn restore(recording: &Recording, store: &DurableStore) -> Result<(), Failure> {
    for blob in &recording.blobs {
        store.put(&blob.stream, blob.bytes.clone()).await?;
    }
    let streams = recording.streams.iter();
    for stream in streams.filter(|stream| stream.kind == StreamKind::Conversation) {
        let events = stream.events.iter().map(|event| NewEvent {
            update: event.update.clone(),
            step: event.step.clone(),
            mark: None,
            trace: event.trace.clone(),
            extra: event.extra.clone(),
        });
        let new = NewStream {
            stream: stream.id.clone(),
            kind: stream.kind,
            parent_run: None,
            events: events.collect(),
            board: Vec::new(),
            lease: None,
        };
        store.create(new).await?;
    }
    Ok(())
}
