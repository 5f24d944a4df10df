//! Erasing and pruning.

use std::time::Duration;

use futures_util::StreamExt;
use gemicro_core::blob::{BlobError, BlobId, Blobs};
use gemicro_core::command::AgentCommand;
use gemicro_core::store::{Store, StoreError};
use gemicro_event::{RunStatus, StreamId, Timestamp};
use gemicro_store::{DurableStore, PruneRule, RunFilter};

use super::World;
use crate::make::{all, append_outside, driven_run, end, free_run, large, note};

pub(super) async fn a_run_that_is_worked_on_is_not_erased(world: &World) {
    let store = world.store().await;
    let lease = driven_run(&store, "driver").await;
    let error = store.erase(&lease.stream).await.unwrap_err();
    assert!(matches!(error, StoreError::LeaseHeld { .. }), "{error:?}");
    store.release_lease(&lease).await.unwrap();
    store.erase(&lease.stream).await.unwrap();
}

pub(super) async fn a_blob_survives_an_erase_between_its_file_and_its_event(world: &World) {
    let store = world.store().await;
    // Many rounds of: one run erases the content while another appends it.
    for round in 0..20 {
        let first = free_run(&store, "first").await;
        let second = free_run(&store, "second").await;
        let content = || large(&format!("round {round}"));
        append_outside(&store, &first, vec![content()]).await.unwrap();
        let (erased, appended) = tokio::join!(
            store.erase(&first),
            append_outside(&store, &second, vec![content()])
        );
        erased.unwrap();
        appended.unwrap();
        assert_eq!(all(&store, &second).await.len(), 2);
    }
}

async fn ended_run(store: &DurableStore, age: Duration) -> StreamId {
    let stream = free_run(store, "ended").await;
    let mut last = end();
    last.update.timestamp =
        Timestamp::from_millis(Timestamp::now().as_millis() - i64::try_from(age.as_millis()).unwrap());
    append_outside(store, &stream, vec![large(stream.as_str()), last])
        .await
        .unwrap();
    stream
}

pub(super) async fn pruning_by_age_takes_old_ended_runs(world: &World) {
    let store = world.store().await;
    let day = Duration::from_secs(86_400);
    let old = ended_run(&store, day * 30).await;
    let recent = ended_run(&store, day).await;
    let open_run = free_run(&store, "open for ages").await;
    let rule = PruneRule {
        older_than: Some(day * 7),
        max_bytes: None,
    };
    let report = store.prune(&rule).await.unwrap();
    assert_eq!(
        (report.runs.as_slice(), report.n_events, report.n_blobs),
        ([old.clone()].as_slice(), 3, 1)
    );
    assert!(report.bytes_after < report.bytes_before);
    assert!(matches!(
        store.read(&old, 0, 1).await,
        Err(StoreError::Erased { .. })
    ));
    assert_eq!(all(&store, &recent).await.len(), 3);
    assert_eq!(all(&store, &open_run).await.len(), 1);
    assert_eq!(store.prune(&rule).await.unwrap().runs, vec![]);
    let listed = store
        .runs(&RunFilter {
            status: Some(RunStatus::Completed),
            ..RunFilter::default()
        })
        .await
        .unwrap();
    let listed: Vec<_> = listed.into_iter().map(|row| row.run).collect();
    assert_eq!(listed, [recent], "a pruned run is not listed");
}

pub(super) async fn pruning_by_size_takes_the_oldest_first(world: &World) {
    let store = world.store().await;
    let mut runs = Vec::new();
    for age in [50, 40, 30, 20, 10] {
        runs.push(ended_run(&store, Duration::from_secs(age * 3600)).await);
    }
    let unlimited = store.prune(&PruneRule::default()).await.unwrap();
    assert_eq!(unlimited.runs, vec![]);
    let max_bytes = unlimited.bytes_after - 400_000;
    let report = store
        .prune(&PruneRule {
            older_than: None,
            max_bytes: Some(max_bytes),
        })
        .await
        .unwrap();
    assert_eq!(report.runs, runs[..2]);
    assert!(report.bytes_after <= max_bytes, "{report:?}");
}

pub(super) async fn an_erased_run_is_a_tombstone(world: &World) {
    let store = world.store().await;
    let (stream, other) = (free_run(&store, "erased").await, free_run(&store, "other").await);
    append_outside(&store, &stream, vec![large("a"), large("b"), note(1)])
        .await
        .unwrap();
    append_outside(&store, &other, vec![large("a")]).await.unwrap();
    let put = store.put(&stream, b"put".to_vec()).await.unwrap();
    store.save_snapshot(&stream, 1, b"state".to_vec()).await.unwrap();
    let command = AgentCommand::cancel("late");
    store.send_command(&stream, command).await.unwrap();
    let erased = store.erase(&stream).await.unwrap();
    // The other run needs one of the three blobs.
    assert_eq!((erased.n_events, erased.n_blobs), (4, 2));
    assert_eq!(store.erase(&stream).await.unwrap().n_events, 0);
    assert!(matches!(store.get(&put).await, Err(BlobError::Missing { .. })));
    assert_eq!(all(&store, &other).await.len(), 2);
    let row = store.run(&stream).await.unwrap();
    assert_eq!((row.title.as_str(), row.n_events), ("erased", 4));
    let error = store.read(&stream, 0, 1).await.unwrap_err();
    assert!(matches!(&error, StoreError::Erased { .. }), "{error:?}");
    let late = append_outside(&store, &stream, vec![note(1)]).await;
    assert_eq!(late.unwrap_err(), error);
    assert_eq!(store.load_snapshot(&stream).await.unwrap_err(), error);
    assert_eq!(store.open_commands(&stream).await.unwrap_err(), error);
    assert!(store.put(&stream, b"again".to_vec()).await.is_err());
    let seen: Vec<_> = store.subscribe(&stream, 1).collect().await;
    let [Ok(gap), Err(last)] = seen.as_slice() else {
        panic!("a gap and the reason: {seen:?}")
    };
    assert_eq!((gap.update.event_type.as_str(), gap.seq), ("gap", 4));
    assert_eq!(*last, error);
}

pub(super) async fn blobs_come_back_by_their_names(world: &World) {
    let store = world.store().await;
    // A run's contents may come before the run.
    let stream = StreamId::random();
    let bytes = vec![0u8, 255, 10, 13];
    let id = store.put(&stream, bytes.clone()).await.unwrap();
    assert_eq!(store.put(&stream, bytes.clone()).await.unwrap(), id);
    assert_eq!(*store.get(&id).await.unwrap(), *bytes);
    let unknown = BlobId::of(b"unknown");
    assert!(matches!(store.get(&unknown).await, Err(BlobError::Missing { id }) if id == unknown));
    store.verify().await.unwrap();
    let check = store.check().await.unwrap();
    assert_eq!((check.n_runs, check.blob_bytes), (0, 4));
}
