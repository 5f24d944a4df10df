//! Who gets which step.

use std::collections::BTreeSet;
use std::time::Duration;

use gemicro_core::queue::{
    ClaimRequest, ProviderLimit, QueueCounts, QueueState, QueuedStep, StepQueue, WorkerNews,
};
use gemicro_core::store::StoreError;
use gemicro_event::{StepKey, StreamId, Timestamp};
use gemicro_store::DurableStore;

use super::{claim, claim_one, enqueue, names, step};
use crate::make::{MINUTE, append_outside, end, free_run};

pub(super) async fn steps_come_by_priority_then_time_then_arrival(store: DurableStore) {
    let stream = free_run(&store, "order").await;
    let at = |key, priority, not_before, provider: Option<&str>| QueuedStep {
        priority,
        not_before,
        provider: provider.map(str::to_owned),
        ..step(&stream, key)
    };
    let (early, late) = (Timestamp::from_millis(1), Timestamp::from_millis(2));
    let never = Timestamp::now().plus(MINUTE * 60);
    let limit = ProviderLimit {
        provider: "gemini".to_owned(),
        max_running: Some(50),
        per_minute: Some(50),
    };
    store.set_limit(limit).await.unwrap();
    let steps = vec![
        at("e", 0, late, None),
        at("not yet", 9, never, None),
        at("z", 0, early, Some("gemini")),
        at("d", 0, early, Some("codex")),
        at("f", -1, early, Some("gemini")),
        at("a", 5, late, None),
        at("b", 2, late, Some("gemini")),
    ];
    assert_eq!(enqueue(&store, steps).await, 7);
    let claimed = claim(&store, "one", 4, MINUTE).await;
    let rest = claim(&store, "two", 100, MINUTE).await;
    let of_first =
        |names: &[&str]| -> Vec<(String, u32)> { names.iter().map(|name| ((*name).to_owned(), 1)).collect() };
    assert_eq!(names(&claimed), of_first(&["a", "b", "z", "d"]));
    assert_eq!(names(&rest), of_first(&["e", "f"]));
    let first = &claimed[2];
    assert_eq!(
        (first.kind.as_str(), first.provider.as_deref(), first.max_attempts),
        ("work", Some("gemini"), 3)
    );
    assert_eq!(first.data.text(), r#"{"do":"z"}"#);
    assert_eq!(claimed[0].provider, None);
    let counts = QueueCounts {
        delayed: 1,
        running: 6,
        ..QueueCounts::default()
    };
    assert_eq!(store.counts(Some(&stream)).await.unwrap(), counts);
    assert_eq!(store.counts(None).await.unwrap(), counts);
}

pub(super) async fn a_worker_gets_only_what_it_can_do(store: DurableStore) {
    let stream = free_run(&store, "kinds").await;
    let other = QueuedStep {
        kind: "other".to_owned(),
        ..step(&stream, "other")
    };
    enqueue(&store, vec![other, step(&stream, "ours")]).await;
    assert_eq!(
        names(&claim(&store, "us", 10, MINUTE).await),
        [("ours".to_owned(), 1)]
    );
    let both = ClaimRequest {
        worker: "all".to_owned(),
        kinds: vec!["work".to_owned(), "other".to_owned()],
        max_steps: 10,
        ttl: MINUTE,
    };
    let claimed = store.claim(both).await.unwrap();
    assert_eq!(names(&claimed), [("other".to_owned(), 1)]);
}

pub(super) async fn an_attempt_is_queued_once(store: DurableStore) {
    let stream = free_run(&store, "once").await;
    let attempt = |attempt| QueuedStep {
        attempt,
        ..step(&stream, "a")
    };
    assert_eq!(enqueue(&store, vec![attempt(1), attempt(1)]).await, 1);
    assert_eq!(enqueue(&store, vec![attempt(1)]).await, 0);
    assert_eq!(
        enqueue(&store, vec![attempt(2)]).await,
        0,
        "the first is still queued"
    );
    let claimed = claim_one(&store, "w").await;
    assert_eq!(
        enqueue(&store, vec![attempt(1), attempt(2)]).await,
        0,
        "it is running"
    );
    let reason = gemicro_event::Failure::new(gemicro_event::ErrorKind::Timeout, "slow");
    store
        .fail(&claimed.lease, reason, None, Vec::new())
        .await
        .unwrap();
    assert_eq!(enqueue(&store, vec![attempt(1)]).await, 0, "that one failed");
    assert_eq!(enqueue(&store, vec![attempt(2)]).await, 1);
    let claimed = claim_one(&store, "w").await;
    assert_eq!(claimed.lease.attempt, 2);
    store.complete(&claimed.lease, Vec::new()).await.unwrap();
    assert_eq!(enqueue(&store, vec![attempt(3)]).await, 0, "done is done");

    append_outside(&store, &stream, vec![end()]).await.unwrap();
    let late = store.enqueue(vec![attempt(1)]).await;
    assert_eq!(late.unwrap_err(), StoreError::Ended { stream });
    let nowhere = StreamId::random();
    let unknown = store.enqueue(vec![step(&nowhere, "a")]).await;
    assert!(matches!(unknown, Err(StoreError::NotFound { .. })), "{unknown:?}");
}

pub(super) async fn an_attempt_is_offered_only_over_an_end_that_is_known(store: DurableStore) {
    let stream = free_run(&store, "offered").await;
    let offer = async |attempt: u32, known: u32| {
        let step = QueuedStep {
            attempt,
            max_attempts: attempt,
            ..step(&stream, "a")
        };
        store.offer(step, known).await.unwrap()
    };
    let cancel = async || {
        let states = store.cancel(&stream, &[StepKey::new("a")]).await.unwrap();
        assert_eq!(states, [Some(QueueState::Cancelled)]);
    };
    assert_eq!(offer(1, 0).await, 1);
    assert_eq!(offer(2, 1).await, 1, "it waits");
    cancel().await;
    assert_eq!(offer(1, 0).await, 1, "the same one is not queued again");
    assert_eq!(
        offer(2, 0).await,
        2,
        "nobody had taken the one that was cancelled"
    );
    let dead = claim(&store, "dead", 1, Duration::ZERO).await.pop().unwrap();
    assert_eq!(offer(3, 2).await, 2, "it is running");
    // Whoever looks next finds its worker silent.
    assert!(claim(&store, "w", 1, MINUTE).await.is_empty());
    assert_eq!(
        offer(3, 1).await,
        2,
        "it was taken, and its end is not known to the caller"
    );
    assert_eq!(offer(3, 2).await, 3);
    cancel().await;
    assert_eq!(offer(4, 2).await, 4, "nobody had taken the third");
    let claimed = claim_one(&store, "w").await;
    assert!(claimed.lease.token != dead.lease.token && claimed.lease.attempt == 4);
    store
        .settle_one(&claimed.lease, WorkerNews::Cancelled, Vec::new())
        .await
        .unwrap();
    assert_eq!(offer(5, 3).await, 4, "it was taken before it was cancelled");
    assert_eq!(offer(5, 4).await, 5);
    let claimed = claim_one(&store, "w").await;
    store.complete(&claimed.lease, Vec::new()).await.unwrap();
    assert_eq!(offer(6, 5).await, 5, "done is done");
}

pub(super) async fn two_workers_never_get_the_same_step(store: DurableStore) {
    let stream = free_run(&store, "apart").await;
    let steps = (0..200).map(|n| step(&stream, &format!("s{n}"))).collect();
    assert_eq!(enqueue(&store, steps).await, 200);
    let workers: Vec<_> = (0..8)
        .map(|n| {
            let store = store.clone();
            tokio::spawn(async move {
                let mut taken = Vec::new();
                loop {
                    let claimed = claim(&store, &format!("w{n}"), 7, MINUTE).await;
                    if claimed.is_empty() {
                        return taken;
                    }
                    taken.extend(names(&claimed));
                }
            })
        })
        .collect();
    let mut all = Vec::new();
    for worker in workers {
        all.extend(worker.await.unwrap());
    }
    let apart: BTreeSet<_> = all.iter().collect();
    assert_eq!((all.len(), apart.len()), (200, 200));
}
