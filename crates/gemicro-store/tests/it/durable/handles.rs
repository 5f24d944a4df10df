//! Two handles share nothing but the database, as two processes do.

use std::time::{Duration, Instant};

use futures_util::StreamExt;
use gemicro_core::store::{Store, StoreError};

use super::World;
use crate::make::{MINUTE, append_outside, end, follow, free_run, note};

pub(super) async fn other_writers_are_seen_within_half_a_second(world: &World) {
    let (here, there) = (world.store().await, world.store().await);
    let stream = free_run(&here, "followed").await;
    let mut events = there.subscribe(&stream, 1);
    for n in 0..5 {
        append_outside(&here, &stream, vec![note(n)]).await.unwrap();
        let appended_at = Instant::now();
        let event = tokio::time::timeout(MINUTE, events.next())
            .await
            .unwrap()
            .unwrap()
            .unwrap();
        assert_eq!(event.seq, n as u64 + 2);
        assert!(
            appended_at.elapsed() < Duration::from_millis(1500),
            "{:?}",
            appended_at.elapsed()
        );
    }
}

pub(super) async fn after_the_end_there_is_nothing_to_wait_for(world: &World) {
    let store = world.store().await;
    let stream = free_run(&store, "over").await;
    append_outside(&store, &stream, vec![end()]).await.unwrap();
    assert_eq!(follow(&store, &stream, 2).await, vec![]);
    assert_eq!(follow(&store, &stream, 7).await, vec![]);
}

pub(super) async fn two_handles_keep_each_others_numbers(world: &World) {
    let (here, there) = (world.store().await, world.store().await);
    let stream = free_run(&here, "both").await;
    for n in 0..20 {
        for (store, expected) in [(&here, 2 * n + 2), (&there, 2 * n + 3)] {
            let appended = append_outside(store, &stream, vec![note(n)]).await.unwrap();
            assert_eq!(appended.events[0].seq, expected as u64);
        }
    }
}

pub(super) async fn many_may_open_a_new_store_at_once(world: &World) {
    let openers = (0..8).map(|_| world.store());
    for store in futures_util::future::join_all(openers).await {
        store.close().await;
    }
    free_run(&world.store().await, "works").await;
}

pub(super) async fn a_lease_holds_across_handles(world: &World) {
    let (here, there) = (world.store().await, world.store().await);
    let stream = free_run(&here, "leased").await;
    let lease = here.take_lease(&stream, "here", MINUTE).await.unwrap();
    assert!(matches!(
        there.take_lease(&stream, "there", MINUTE).await,
        Err(StoreError::LeaseHeld { .. })
    ));
    // Stopped past its lease, as a sleeping laptop is.
    let lease = here.renew_lease(&lease, Duration::ZERO).await.unwrap();
    there.take_lease(&stream, "there", MINUTE).await.unwrap();
    assert_eq!(
        here.renew_lease(&lease, MINUTE).await.unwrap_err(),
        StoreError::LeaseLost {
            stream: stream.clone()
        }
    );
}

pub(super) async fn a_lease_that_no_one_renews_ends_whatever_the_clock_says(world: &World) {
    let (here, there) = (world.store().await, world.store().await);
    let (left, kept) = (free_run(&here, "left").await, free_run(&here, "kept").await);
    // As a clock makes them that is set back by an hour.
    here.take_lease(&left, "dead", 60 * MINUTE).await.unwrap();
    let mut lease = here.take_lease(&kept, "alive", 60 * MINUTE).await.unwrap();
    let started = Instant::now();
    loop {
        let taken = there.take_lease(&left, "heir", Duration::from_secs(10)).await;
        let is_held = there.is_held(&left).await.unwrap();
        // Whoever lives renews, and keeps what it has.
        lease = here.renew_lease(&lease, 60 * MINUTE).await.unwrap();
        let refused = there.take_lease(&kept, "heir", Duration::from_secs(10)).await;
        assert!(
            matches!(refused, Err(StoreError::LeaseHeld { .. })),
            "{refused:?}"
        );
        assert!(there.is_held(&kept).await.unwrap());
        match taken {
            Ok(taken) => {
                assert_eq!(taken.owner, "heir");
                break;
            }
            Err(StoreError::LeaseHeld { .. }) => {
                assert!(started.elapsed() < MINUTE, "held for ever ({is_held})");
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
            Err(error) => panic!("{error}"),
        }
    }
    assert!(
        started.elapsed() >= Duration::from_secs(10),
        "its length had not passed"
    );
}
