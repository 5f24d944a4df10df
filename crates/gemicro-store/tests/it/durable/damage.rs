//! Rows that were changed by something other than gemicro.

use gemicro_core::store::{Append, BoardLine, Store, StoreError, Writer};
use gemicro_event::{Json, StreamId};
use gemicro_store::{DurableStore, RunFilter};
use serde_json::json;

use super::World;
use crate::make::{all, append_outside, end, event, free_run, large, note};

async fn run_with_board(store: &DurableStore) -> StreamId {
    let stream = free_run(store, "kept").await;
    let line = |place| BoardLine {
        place,
        state: "queued".to_owned(),
        shown: Json::from(json!({ "task": place })),
    };
    let append = Append {
        stream: stream.clone(),
        writer: Writer::Outside,
        events: (1..=5).map(note).collect(),
        board: (0..3).map(line).collect(),
    };
    store.append(append).await.unwrap();
    stream
}

fn is_damage(error: &StoreError) -> bool {
    matches!(error, StoreError::Damaged { .. })
}

pub(super) async fn what_was_changed_behind_the_store_is_noticed_when_it_is_read(world: &World) {
    let store = world.store().await;
    let stream = run_with_board(&store).await;
    assert_eq!(all(&store, &stream).await.len(), 6);
    for (change, back, seq) in [
        (
            "UPDATE events SET message = 'no' WHERE seq = 3",
            "UPDATE events SET message = 'noted happened' WHERE seq = 3",
            3,
        ),
        (
            "UPDATE events SET data = '{\"n\":7}' WHERE seq = 4",
            "UPDATE events SET data = '{\"n\":3}' WHERE seq = 4",
            4,
        ),
        (
            "UPDATE events SET at_ms = at_ms + 1 WHERE seq = 1",
            "UPDATE events SET at_ms = at_ms - 1 WHERE seq = 1",
            1,
        ),
        (
            "UPDATE events SET seq = 9 WHERE seq = 6",
            "UPDATE events SET seq = 6 WHERE seq = 9",
            9,
        ),
        (
            "UPDATE streams SET last_seq = 7",
            "UPDATE streams SET last_seq = 6",
            7,
        ),
        (
            "UPDATE streams SET ended = TRUE",
            "UPDATE streams SET ended = FALSE",
            6,
        ),
    ] {
        world.execute(change).await;
        let error = store.read(&stream, 0, usize::MAX).await.unwrap_err();
        assert!(is_damage(&error), "{change}: {error}");
        let named = format!("event {seq} of run {stream}");
        assert!(error.to_string().contains(&named), "{change}: {error}");
        world.execute(back).await;
        assert_eq!(all(&store, &stream).await.len(), 6, "{back}");
    }
    // A page in the middle is checked against the event before it.
    assert_eq!(store.read(&stream, 3, 2).await.unwrap().events.len(), 2);
    world
        .execute("UPDATE events SET seal = seal + 1 WHERE seq = 3")
        .await;
    assert!(is_damage(&store.read(&stream, 3, 2).await.unwrap_err()));
    world
        .execute("UPDATE events SET seal = seal - 1 WHERE seq = 3")
        .await;

    world.execute("UPDATE runs SET title = 'other'").await;
    let error = store.runs(&RunFilter::default()).await.unwrap_err();
    assert!(
        is_damage(&error) && error.to_string().contains("store rebuild"),
        "{error}"
    );
    assert!(is_damage(
        &append_outside(&world.store().await, &stream, vec![note(9)])
            .await
            .unwrap_err()
    ));
    world.execute("UPDATE runs SET title = 'kept'").await;
    assert_eq!(store.runs(&RunFilter::default()).await.unwrap().len(), 1);

    assert!(store.board(&stream).await.unwrap().shown.starts_with("[{"));
    world
        .execute("UPDATE board SET shown = '{}' WHERE place = 1")
        .await;
    assert!(is_damage(&store.board(&stream).await.unwrap_err()));
}

pub(super) async fn a_store_with_damage_is_checked_to_its_end(world: &World) {
    let store = world.store().await;
    for _ in 0..3 {
        run_with_board(&store).await;
    }
    let check = store.check_contents().await;
    assert_eq!((check.n_streams, check.n_events, check.n_unsealed), (3, 18, 0));
    assert_eq!(check.problems, Vec::new());
    world
        .execute(
            "UPDATE events SET message = 'no' WHERE stream_no = 1 AND seq = 3; \
             UPDATE runs SET n_events = 1 WHERE stream_no = 2; DELETE FROM events WHERE stream_no = 3 AND seq = 6",
        )
        .await;
    let check = store.check_contents().await;
    assert_eq!(check.problems.len(), 3, "{:?}", check.problems);
    assert!(check.problems.iter().all(is_damage));
}

pub(super) async fn events_of_some_types_can_be_left_out(world: &World) {
    let store = world.store().await;
    let stream = free_run(&store, "long").await;
    let events = vec![note(1), large("x"), event("told", json!({})), note(2), end()];
    append_outside(&store, &stream, events).await.unwrap();
    let whole = all(&store, &stream).await;
    let without = store.read_without(&stream, &["noted", "unknown"]).await.unwrap();
    let places: Vec<u64> = without.iter().map(|event| event.seq).collect();
    assert_eq!(places, [1, 4, 6]);
    assert!(without.iter().all(|event| whole.contains(event)));
    assert_eq!(store.read_without(&stream, &[]).await.unwrap(), whole);
    // Those that are left out are not read; one that is read is checked against the one before it.
    world
        .execute("UPDATE events SET message = 'no' WHERE seq = 3")
        .await;
    assert_eq!(store.read_without(&stream, &["noted"]).await.unwrap(), without);
    world
        .execute("UPDATE events SET message = 'no' WHERE seq = 4")
        .await;
    assert!(is_damage(
        &store.read_without(&stream, &["noted"]).await.unwrap_err()
    ));
    store.erase(&stream).await.unwrap();
    let erased = store.read_without(&stream, &["noted"]).await.unwrap_err();
    assert!(matches!(erased, StoreError::Erased { .. }), "{erased}");
    let unknown = store.read_without(&StreamId::random(), &[]).await.unwrap_err();
    assert!(matches!(unknown, StoreError::NotFound { .. }), "{unknown}");
}
