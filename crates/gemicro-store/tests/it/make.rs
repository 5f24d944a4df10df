//! Events, runs and stores for tests.

use std::path::Path;
use std::time::Duration;

use futures_util::StreamExt;
use gemicro_core::store::{
    Append, AppendResult, Lease, NewEvent, NewStream, StepMark, Store, StoreError, StreamKind, Writer,
};
use gemicro_event::{AgentUpdate, Event, Json, StepKey, StreamId, Timestamp};
use gemicro_store::SqliteStore;
use serde_json::json;

pub(crate) const MINUTE: Duration = Duration::from_secs(60);

/// An event of a kind with some data.
pub(crate) fn event(event_type: &str, data: serde_json::Value) -> NewEvent {
    NewEvent::of_run(AgentUpdate {
        event_type: event_type.to_owned(),
        message: format!("{event_type} happened"),
        timestamp: Timestamp::from_millis(1_700_000_000_000),
        data: Json::from(data),
    })
}

pub(crate) fn note(n: usize) -> NewEvent {
    event("noted", json!({ "n": n }))
}

/// An event whose data goes to a blob.
pub(crate) fn large(text: &str) -> NewEvent {
    event("noted", json!({ "text": text.repeat(20_000) }))
}

pub(crate) fn started(title: &str) -> NewEvent {
    let data = json!({ "flow": "research", "flow_version": 1, "program": "test", "title": title, "plan": {}, "limits": {} });
    event("run_started", data)
}

pub(crate) fn end() -> NewEvent {
    event("final_result", json!({ "result": "done" }))
}

/// The start or the end of an attempt.
pub(crate) fn of_step(step: &str, mark: StepMark) -> NewEvent {
    let event_type = match mark {
        StepMark::Started(_) => "step_started",
        StepMark::Ended(_) => "step_completed",
    };
    let data = json!({ "charge": { "tokens": 7, "micro_usd": 11, "turns": 1 } });
    NewEvent {
        step: Some(StepKey::new(step)),
        mark: Some(mark),
        ..event(event_type, data)
    }
}

pub(crate) fn new_run(stream: &StreamId, events: Vec<NewEvent>) -> NewStream {
    NewStream {
        stream: stream.clone(),
        kind: StreamKind::Run,
        parent_run: None,
        events,
        lease: None,
        board: Vec::new(),
    }
}

/// A run without a driver.
pub(crate) async fn free_run(store: &dyn Store, title: &str) -> StreamId {
    let stream = StreamId::random();
    store
        .create(new_run(&stream, vec![started(title)]))
        .await
        .unwrap();
    stream
}

/// A run with a driver.
pub(crate) async fn driven_run(store: &dyn Store, owner: &str) -> Lease {
    let stream = StreamId::random();
    let mut new = new_run(&stream, vec![started("driven")]);
    new.lease = Some((owner.to_owned(), MINUTE));
    store.create(new).await.unwrap().1.unwrap()
}

pub(crate) async fn append(
    store: &dyn Store,
    stream: &StreamId,
    writer: Writer,
    events: Vec<NewEvent>,
) -> Result<AppendResult, StoreError> {
    store
        .append(Append {
            stream: stream.clone(),
            writer,
            events,
            board: Vec::new(),
        })
        .await
}

pub(crate) async fn append_outside(
    store: &dyn Store,
    stream: &StreamId,
    events: Vec<NewEvent>,
) -> Result<AppendResult, StoreError> {
    append(store, stream, Writer::Outside, events).await
}

pub(crate) async fn all(store: &dyn Store, stream: &StreamId) -> Vec<Event> {
    store.read(stream, 0, usize::MAX).await.unwrap().events
}

/// Checks that the numbers are 1, 2, 3 … and says how many there are.
pub(crate) fn gap_free(events: &[Event]) -> u64 {
    let numbers: Vec<u64> = events.iter().map(|event| event.seq).collect();
    let n_events = numbers.len() as u64;
    assert_eq!(numbers, (1..=n_events).collect::<Vec<_>>());
    n_events
}

/// Everything a subscription gives until it ends.
pub(crate) async fn follow(store: &dyn Store, stream: &StreamId, after: u64) -> Vec<Event> {
    let events = store.subscribe(stream, after).map(Result::unwrap).collect();
    tokio::time::timeout(MINUTE, events)
        .await
        .expect("the subscription ends with the run")
}

pub(crate) async fn open(home: &Path) -> SqliteStore {
    SqliteStore::open(home).await.unwrap()
}

/// A folder for a store, deleted at the end; a store does not have to exist in it.
pub(crate) fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}
