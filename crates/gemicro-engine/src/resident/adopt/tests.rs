//! Which runs a worker takes over.

use std::time::Duration;

use gemicro_core::store::{NewEvent, NewStream, StreamKind};
use gemicro_event::{AgentUpdate, Json, StreamId};
use serde_json::{Value, json};

use super::*;

/// A foreground run with these events after its first.
async fn run(store: &DurableStore, events: &[(&str, Value)]) -> RunRow {
    let started =
        json!({ "flow": "pipeline", "flow_version": 1, "program": "test", "title": "t", "plan": {} });
    let stream = StreamId::random();
    let all = [("run_started", started)];
    let new = |(kind, data): &(&str, Value)| {
        NewEvent::of_run(AgentUpdate {
            event_type: (*kind).to_owned(),
            message: String::new(),
            timestamp: Timestamp::now(),
            data: Json::from(data.clone()),
        })
    };
    let new = NewStream {
        stream: stream.clone(),
        kind: StreamKind::Run,
        parent_run: None,
        events: all.iter().chain(events).map(new).collect(),
        lease: None,
        board: Vec::new(),
    };
    store.create(new).await.unwrap();
    store.run(&stream).await.unwrap()
}

fn suspended(cut_off: bool) -> (&'static str, Value) {
    let at = Timestamp::now();
    (
        "run_suspended",
        json!({ "reason": "stopped on request", "stopped_at": at, "cut_off": cut_off }),
    )
}

#[tokio::test]
async fn a_run_that_was_suspended_while_a_worker_waited_for_it_stays_so() {
    let folder = tempfile::tempdir().unwrap();
    let store = DurableStore::at(folder.path(), None).await.unwrap();
    let asked = ("answer_requested", json!({ "key": "plan.1:human" }));
    let waiting = run(&store, std::slice::from_ref(&asked)).await;
    assert_eq!(run_standing(&store, &waiting).await.unwrap(), RunStanding::Waits);
    let lease = store
        .take_lease(&waiting.run, "somebody", Duration::from_secs(60))
        .await
        .unwrap();
    assert_eq!(run_standing(&store, &waiting).await.unwrap(), RunStanding::Held);
    store.release_lease(&lease).await.unwrap();
    assert_eq!(run_standing(&store, &waiting).await.unwrap(), RunStanding::Waits);

    // The worker found it while it was asked; then it was suspended.
    let stopped = run(&store, &[asked, suspended(false)]).await;
    let as_found = RunRow {
        status: RunStatus::Parked,
        ..stopped
    };
    assert_eq!(
        run_standing(&store, &as_found).await.unwrap(),
        RunStanding::Settled
    );
}
