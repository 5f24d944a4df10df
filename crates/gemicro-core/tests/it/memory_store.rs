//! The store in memory keeps the contract: all or none, fenced, once, byte-equal.

use futures_util::StreamExt;
use gemicro_core::store::{
    Append, Lease, MemoryStore, NewEvent, NewStream, StepMark, Store, StoreError, StreamKind, Writer,
};
use gemicro_event::{AgentUpdate, Json, StepKey, StreamId, Timestamp};
use std::time::Duration;

fn fact(event_type: &str) -> NewEvent {
    NewEvent::of_run(AgentUpdate {
        event_type: event_type.to_owned(),
        message: event_type.to_owned(),
        timestamp: Timestamp::from_millis(1_000),
        data: Json::empty(),
    })
}

async fn made(store: &MemoryStore, kind: StreamKind) -> (StreamId, Lease) {
    let stream = StreamId::random();
    let lease = Some(("me".to_owned(), Duration::from_secs(60)));
    let new = NewStream {
        stream: stream.clone(),
        kind,
        parent_run: None,
        events: vec![fact("made")],
        lease,
        board: Vec::new(),
    };
    let (_, lease) = store.create(new).await.expect("fresh");
    (stream, lease.expect("asked for"))
}

fn as_driver(lease: &Lease, expected_seq: u64, events: Vec<NewEvent>) -> Append {
    let writer = Writer::Driver {
        epoch: lease.epoch,
        expected_seq,
    };
    Append {
        stream: lease.stream.clone(),
        writer,
        events,
        board: Vec::new(),
    }
}

#[tokio::test]
async fn an_append_is_all_or_none() {
    let store = MemoryStore::new();
    let (stream, lease) = made(&store, StreamKind::Run).await;
    let step = StepKey::new("a");
    let started = NewEvent::of_step(fact("x").update, &step, Some(StepMark::Started(1)));
    let after_the_end = as_driver(&lease, 1, vec![started, fact("final_result"), fact("late")]);
    let refused = store.append(after_the_end).await;
    assert_eq!(
        refused,
        Err(StoreError::Ended {
            stream: stream.clone()
        })
    );
    assert_eq!(store.read(&stream, 0, 10).await.expect("there").events.len(), 1);
    // The step index was not touched either.
    let writer = Writer::Executor { step, attempt: 1 };
    let refused = store
        .append(Append {
            stream,
            writer,
            events: vec![fact("y")],
            board: Vec::new(),
        })
        .await;
    assert!(matches!(refused, Err(StoreError::Fenced { .. })), "{refused:?}");
}

#[tokio::test]
async fn writers_are_fenced() {
    let store = MemoryStore::new();
    let (stream, lease) = made(&store, StreamKind::Run).await;
    let moved = store.append(as_driver(&lease, 0, vec![fact("x")])).await;
    assert_eq!(
        moved,
        Err(StoreError::Moved {
            stream: stream.clone(),
            expected: 0,
            actual: 1
        })
    );
    let outside = Append {
        stream: stream.clone(),
        writer: Writer::Outside,
        events: vec![fact("x")],
        board: Vec::new(),
    };
    assert!(matches!(
        store.append(outside.clone()).await,
        Err(StoreError::LeaseHeld { .. })
    ));
    let next = store
        .take_lease(&stream, "me", Duration::from_secs(60))
        .await
        .expect("the same owner");
    assert_eq!(next.epoch, lease.epoch + 1);
    let lost = store.append(as_driver(&lease, 1, vec![fact("x")])).await;
    assert_eq!(
        lost,
        Err(StoreError::LeaseLost {
            stream: stream.clone()
        })
    );
    assert!(matches!(
        store.renew_lease(&lease, Duration::ZERO).await,
        Err(StoreError::LeaseLost { .. })
    ));
    store.release_lease(&lease).await.expect("harmless");
    store
        .append(as_driver(&next, 1, vec![fact("x")]))
        .await
        .expect("the current driver writes");
    store.release_lease(&next).await.expect("given back");
    store.append(outside.clone()).await.expect("nobody drives");
    store
        .append(Append {
            events: vec![fact("run_cancelled")],
            ..outside.clone()
        })
        .await
        .expect("an end");
    assert_eq!(store.append(outside).await, Err(StoreError::Ended { stream }));
}

#[tokio::test]
async fn a_conversation_has_no_end() {
    let store = MemoryStore::new();
    let (_, lease) = made(&store, StreamKind::Conversation).await;
    store
        .append(as_driver(&lease, 1, vec![fact("final_result"), fact("x")]))
        .await
        .expect("goes on");
}

#[tokio::test]
async fn a_subscriber_gets_each_event_once_and_in_order() {
    let store = MemoryStore::new();
    let (stream, lease) = made(&store, StreamKind::Run).await;
    let watching = tokio::spawn(store.subscribe(&stream, 0).collect::<Vec<_>>());
    for seq in 1..50 {
        store
            .append(as_driver(&lease, seq, vec![fact("x")]))
            .await
            .expect("appended");
        if seq % 7 == 0 {
            tokio::task::yield_now().await;
        }
    }
    store
        .append(as_driver(&lease, 50, vec![fact("final_result")]))
        .await
        .expect("ended");
    let seen: Vec<u64> = watching
        .await
        .expect("no panic")
        .into_iter()
        .map(|it| it.expect("read").seq)
        .collect();
    assert_eq!(seen, (1..=51).collect::<Vec<_>>());
    let from_cursor: Vec<_> = store.subscribe(&stream, 49).collect().await;
    assert_eq!(from_cursor.len(), 2);
}
