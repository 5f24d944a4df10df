//! Cancelling, trying again, and what the end of a run takes away.

use gemicro_core::queue::{Heartbeat, QueueCounts, QueueState, StepQueue, WorkerNews};
use gemicro_core::store::StoreError;
use gemicro_event::{ErrorKind, Failure, StepKey};
use gemicro_store::DurableStore;

use super::{claim, claim_one, done, enqueue, names, step};
use crate::make::{MINUTE, append_outside, end, free_run};

pub(super) async fn a_queued_step_is_cancelled_at_once_a_running_one_is_asked(store: DurableStore) {
    let stream = free_run(&store, "cancel").await;
    enqueue(&store, vec![step(&stream, "done")]).await;
    let finished = claim_one(&store, "w").await;
    store.complete(&finished.lease, done(&finished)).await.unwrap();
    enqueue(&store, vec![step(&stream, "running")]).await;
    let running = claim_one(&store, "w").await;
    enqueue(&store, vec![step(&stream, "queued"), step(&stream, "kept")]).await;

    let keys = ["done", "running", "queued", "unknown"].map(StepKey::new);
    let states = store.cancel(&stream, &keys).await.unwrap();
    let expected = [
        Some(QueueState::Completed),
        Some(QueueState::Running),
        Some(QueueState::Cancelled),
        None,
    ];
    assert_eq!(states, expected);
    let beats = store
        .heartbeat(vec![running.lease.clone()], MINUTE)
        .await
        .unwrap();
    assert!(
        matches!(beats[..], [Heartbeat::CancelRequested { .. }]),
        "{beats:?}"
    );
    let stopped = store
        .settle_one(&running.lease, WorkerNews::Cancelled, done(&running))
        .await
        .unwrap();
    assert_eq!((stopped.state, stopped.events.len()), (QueueState::Cancelled, 1));
    assert_eq!(
        names(&claim(&store, "w", 9, MINUTE).await),
        [("kept".to_owned(), 1)]
    );
    let counts = QueueCounts {
        completed: 1,
        cancelled: 2,
        running: 1,
        ..QueueCounts::default()
    };
    assert_eq!(store.counts(Some(&stream)).await.unwrap(), counts);
}

pub(super) async fn a_dead_step_is_tried_again(store: DurableStore) {
    let stream = free_run(&store, "again").await;
    enqueue(&store, vec![step(&stream, "a")]).await;
    let key = StepKey::new("a");
    assert!(!store.retry(&stream, &key, 1).await.unwrap(), "it is not dead");
    let reason = Failure::new(ErrorKind::UpstreamError, "no");
    let claimed = claim_one(&store, "w").await;
    store
        .fail(&claimed.lease, reason.clone(), None, Vec::new())
        .await
        .unwrap();
    assert_eq!(store.dead_steps(Some(&stream), 9).await.unwrap().len(), 1);
    assert!(store.retry(&stream, &key, 1).await.unwrap());
    assert_eq!(store.dead_steps(Some(&stream), 9).await.unwrap(), []);
    let again = claim_one(&store, "w").await;
    assert_eq!((again.lease.attempt, again.max_attempts), (2, 2));
    store.complete(&again.lease, done(&again)).await.unwrap();
    assert!(!store.retry(&stream, &key, 1).await.unwrap());
}

pub(super) async fn the_end_of_a_run_empties_its_queue(store: DurableStore) {
    let (stream, other) = (free_run(&store, "ends").await, free_run(&store, "goes on").await);
    enqueue(
        &store,
        vec![step(&stream, "a"), step(&stream, "b"), step(&other, "c")],
    )
    .await;
    let running = claim_one(&store, "w").await;
    assert_eq!(running.lease.stream, stream);
    append_outside(&store, &stream, vec![end()]).await.unwrap();
    assert_eq!(store.counts(Some(&stream)).await.unwrap(), QueueCounts::default());
    assert_eq!(
        store
            .heartbeat(vec![running.lease.clone()], MINUTE)
            .await
            .unwrap(),
        [Heartbeat::Lost]
    );
    let late = store.complete(&running.lease, done(&running)).await;
    assert!(matches!(late, Err(StoreError::Fenced { .. })), "{late:?}");
    assert_eq!(names(&claim(&store, "w", 9, MINUTE).await), [("c".to_owned(), 1)]);
}

pub(super) async fn an_erased_run_leaves_no_step(store: DurableStore) {
    let stream = free_run(&store, "erased").await;
    enqueue(&store, vec![step(&stream, "a")]).await;
    store.erase(&stream).await.unwrap();
    assert_eq!(store.counts(None).await.unwrap(), QueueCounts::default());
    let refused = store.enqueue(vec![step(&stream, "b")]).await;
    assert!(matches!(refused, Err(StoreError::Erased { .. })), "{refused:?}");
}
