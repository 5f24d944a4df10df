//! The life of an attempt: its fence, its facts, its end.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use gemicro_core::queue::{Heartbeat, QueueCounts, QueueState, QueuedStep, StepQueue, WorkerNews};
use gemicro_core::store::StoreError;
use gemicro_event::{ErrorKind, Failure, Timestamp};
use gemicro_store::{DeadLetterFilter, DurableStore};

use super::{claim, claim_one, done, enqueue, events_of, names, step};
use crate::make::{MINUTE, all, end, free_run, gap_free, note};

fn fenced(lease: &gemicro_core::queue::StepLease) -> StoreError {
    StoreError::Fenced {
        stream: lease.stream.clone(),
        step: lease.step.to_string(),
        attempt: lease.attempt,
    }
}

pub(super) async fn a_completion_and_its_facts_are_one(store: DurableStore) {
    let stream = free_run(&store, "facts").await;
    enqueue(&store, vec![step(&stream, "a")]).await;
    let claimed = claim_one(&store, "w").await;
    let said = store
        .settle_one(&claimed.lease, WorkerNews::Working, vec![note(1)])
        .await
        .unwrap();
    assert_eq!((said.state, said.events[0].seq), (QueueState::Running, 2));

    // Facts that cannot stand leave the step as it was.
    let wrong = store.complete(&claimed.lease, vec![end(), note(2)]).await;
    assert_eq!(
        wrong.unwrap_err(),
        StoreError::Ended {
            stream: stream.clone()
        }
    );
    assert_eq!(store.counts(Some(&stream)).await.unwrap().running, 1);
    assert_eq!(gap_free(&all(&store, &stream).await), 2);

    let settled = store.complete(&claimed.lease, done(&claimed)).await.unwrap();
    assert_eq!((settled.state, settled.events[0].seq), (QueueState::Completed, 3));
    // A step that is done takes no more facts.
    for news in [WorkerNews::Working, WorkerNews::Completed, WorkerNews::Cancelled] {
        let again = store.settle_one(&claimed.lease, news, done(&claimed)).await;
        assert_eq!(again.unwrap_err(), fenced(&claimed.lease));
    }
    assert_eq!(gap_free(&all(&store, &stream).await), 3);
    assert_eq!(
        store.heartbeat(vec![claimed.lease], MINUTE).await.unwrap(),
        [Heartbeat::Lost]
    );
}

pub(super) async fn news_of_a_lost_attempt_are_refused(store: DurableStore) {
    let stream = free_run(&store, "late").await;
    enqueue(&store, vec![step(&stream, "a")]).await;
    let dead = claim(&store, "dead", 1, Duration::ZERO).await.pop().unwrap();
    let heir = claim_one(&store, "heir").await;
    assert_eq!((dead.lease.attempt, heir.lease.attempt), (1, 2));
    let late = store.complete(&dead.lease, done(&dead)).await;
    assert_eq!(late.unwrap_err(), fenced(&dead.lease));
    let mut forged = heir.lease.clone();
    forged.token ^= 1;
    let forged = store.complete(&forged, done(&heir)).await;
    assert!(matches!(forged, Err(StoreError::Fenced { .. })), "{forged:?}");
    store.complete(&heir.lease, done(&heir)).await.unwrap();
    let of_a = |event: &str| (event.to_owned(), "a".to_owned());
    assert_eq!(
        events_of(&store, &stream).await,
        [of_a("step_lost"), of_a("step_completed")]
    );
    let events = all(&store, &stream).await;
    assert_eq!(
        events[1].update.data["charge"]["tokens"], 5,
        "counted at its worst case"
    );
    // Somebody who was silent but not replaced may still finish.
    enqueue(&store, vec![step(&stream, "b")]).await;
    let slow = claim(&store, "slow", 1, Duration::ZERO).await.pop().unwrap();
    store.complete(&slow.lease, done(&slow)).await.unwrap();
}

pub(super) async fn a_silent_worker_is_noticed_whatever_the_clock_says(store: DurableStore) {
    let stream = free_run(&store, "set back").await;
    let steps = ["dead", "alive"].map(|key| QueuedStep {
        max_attempts: 1,
        ..step(&stream, key)
    });
    enqueue(&store, steps.to_vec()).await;
    // Leases as a clock makes them that is set back by an hour.
    let claimed = claim(&store, "w", 2, 60 * MINUTE).await;
    let alive = claimed
        .into_iter()
        .find(|step| step.lease.step.as_str() == "alive")
        .unwrap();
    let started = Instant::now();
    while store.counts(Some(&stream)).await.unwrap().dead == 0 {
        assert!(started.elapsed() < MINUTE, "it lasts for ever");
        let beat = store
            .heartbeat(vec![alive.lease.clone()], 60 * MINUTE)
            .await
            .unwrap();
        assert!(matches!(beat[0], Heartbeat::Alive { .. }));
        assert!(claim(&store, "x", 1, Duration::from_secs(6)).await.is_empty());
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    assert!(
        started.elapsed() >= Duration::from_secs(10),
        "its length had not passed"
    );
    store.complete(&alive.lease, done(&alive)).await.unwrap();
}

pub(super) async fn a_dead_workers_steps_are_done_once(store: DurableStore) {
    let stream = free_run(&store, "two workers").await;
    let steps = (0..60).map(|n| step(&stream, &format!("s{n}"))).collect();
    enqueue(&store, steps).await;
    // One takes a third and is never heard of again.
    let orphans = claim(&store, "killed", 20, Duration::ZERO).await;
    assert_eq!(orphans.len(), 20);
    let mut n_taken_over = 0;
    loop {
        let claimed = claim(&store, "survivor", 7, MINUTE).await;
        if claimed.is_empty() {
            break;
        }
        for step in &claimed {
            n_taken_over += usize::from(step.lease.attempt == 2);
            store.complete(&step.lease, done(step)).await.unwrap();
        }
    }
    assert_eq!(n_taken_over, 20);
    for orphan in &orphans {
        let late = store.complete(&orphan.lease, done(orphan)).await;
        assert_eq!(late.unwrap_err(), fenced(&orphan.lease));
    }
    let mut n_done: BTreeMap<String, usize> = BTreeMap::new();
    for (event, step) in events_of(&store, &stream).await {
        *n_done.entry(step).or_default() += usize::from(event == "step_completed");
    }
    assert_eq!(n_done.len(), 60);
    assert!(n_done.values().all(|n| *n == 1), "{n_done:?}");
    gap_free(&all(&store, &stream).await);
    let counts = QueueCounts {
        completed: 60,
        ..QueueCounts::default()
    };
    assert_eq!(store.counts(Some(&stream)).await.unwrap(), counts);
}

pub(super) async fn a_heartbeat_keeps_a_step(store: DurableStore) {
    let stream = free_run(&store, "beats").await;
    enqueue(&store, vec![step(&stream, "a"), step(&stream, "b")]).await;
    let claimed = claim(&store, "w", 2, Duration::ZERO).await;
    let leases: Vec<_> = claimed.iter().map(|step| step.lease.clone()).collect();
    let beats = store.heartbeat(leases.clone(), MINUTE).await.unwrap();
    assert!(
        beats.iter().all(
            |beat| matches!(beat, Heartbeat::Alive { expires_at } if *expires_at > leases[0].expires_at)
        ),
        "{beats:?}"
    );
    assert_eq!(names(&claim(&store, "thief", 2, MINUTE).await), []);
    // It falls silent over one of them.
    store
        .heartbeat(vec![leases[1].clone()], Duration::ZERO)
        .await
        .unwrap();
    assert_eq!(
        names(&claim(&store, "heir", 2, MINUTE).await),
        [("b".to_owned(), 2)]
    );
    let beats = store.heartbeat(leases, MINUTE).await.unwrap();
    assert!(
        matches!(beats[..], [Heartbeat::Alive { .. }, Heartbeat::Lost]),
        "{beats:?}"
    );
}

pub(super) async fn a_failed_attempt_waits_for_its_time(store: DurableStore) {
    let stream = free_run(&store, "backoff").await;
    enqueue(&store, vec![step(&stream, "a")]).await;
    let reason = Failure::new(ErrorKind::RateLimited, "too many requests");
    let claimed = claim_one(&store, "w").await;
    let later = Timestamp::now().plus(MINUTE * 60);
    let settled = store
        .fail(&claimed.lease, reason.clone(), Some(later), vec![note(1)])
        .await
        .unwrap();
    assert_eq!((settled.state, settled.events.len()), (QueueState::Queued, 1));
    assert_eq!(names(&claim(&store, "w", 1, MINUTE).await), []);
    assert_eq!(store.counts(Some(&stream)).await.unwrap().delayed, 1);

    enqueue(&store, vec![step(&stream, "b")]).await;
    for attempt in 1..=3 {
        let claimed = claim_one(&store, "w").await;
        assert_eq!(
            (claimed.lease.step.as_str(), claimed.lease.attempt),
            ("b", attempt)
        );
        let now = Some(Timestamp::from_millis(1));
        let settled = store
            .fail(&claimed.lease, reason.clone(), now, Vec::new())
            .await
            .unwrap();
        let expected = if attempt < 3 {
            QueueState::Queued
        } else {
            QueueState::Dead
        };
        assert_eq!(settled.state, expected, "attempt {attempt}");
    }
    let dead = store.dead_steps(Some(&stream), 10).await.unwrap();
    assert_eq!(
        (dead[0].step.as_str(), dead[0].attempt, &dead[0].reason),
        ("b", 3, &reason)
    );
}

pub(super) async fn a_step_that_kills_its_workers_becomes_a_dead_letter(store: DurableStore) {
    let stream = free_run(&store, "poison").await;
    let poison = QueuedStep {
        max_attempts: 2,
        ..step(&stream, "poison")
    };
    enqueue(&store, vec![poison]).await;
    for attempt in [1, 2] {
        let victims = claim(&store, &format!("victim {attempt}"), 1, Duration::ZERO).await;
        assert_eq!(names(&victims), [("poison".to_owned(), attempt)]);
    }
    assert_eq!(names(&claim(&store, "next", 1, MINUTE).await), []);
    let dead = store.dead_steps(None, 10).await.unwrap();
    assert_eq!((dead.len(), dead[0].attempt, &dead[0].stream), (1, 2, &stream));
    let message = "its worker stopped responding in attempt 2 of 2 (the last was victim 2)";
    assert_eq!(dead[0].reason, Failure::new(ErrorKind::Internal, message));
    let of_it = |event: &str| (event.to_owned(), "poison".to_owned());
    assert_eq!(
        events_of(&store, &stream).await,
        [of_it("step_lost"), of_it("step_failed")]
    );
    let letters = store.dead_letters(&DeadLetterFilter::default()).await.unwrap();
    assert_eq!(
        (letters[0].step.as_str(), letters[0].message.as_str()),
        ("poison", message)
    );
}
