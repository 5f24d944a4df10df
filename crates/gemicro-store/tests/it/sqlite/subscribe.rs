//! Following over the borders of a store handle.

use std::time::{Duration, Instant};

use futures_util::StreamExt;
use gemicro_core::store::Store;

use crate::make::{MINUTE, append_outside, end, folder, follow, free_run, note, open};

#[tokio::test]
async fn other_writers_are_seen_within_half_a_second() {
    let folder = folder();
    let home = folder.path().join("home");
    // Two handles share nothing but the file, as two processes do.
    let (here, there) = (open(&home).await, open(&home).await);
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

#[tokio::test]
async fn after_the_end_there_is_nothing_to_wait_for() {
    let folder = folder();
    let store = open(&folder.path().join("home")).await;
    let stream = free_run(&store, "over").await;
    append_outside(&store, &stream, vec![end()]).await.unwrap();
    assert_eq!(follow(&store, &stream, 2).await, vec![]);
    assert_eq!(follow(&store, &stream, 7).await, vec![]);
}

#[tokio::test]
async fn two_handles_keep_each_others_numbers() {
    let folder = folder();
    let home = folder.path().join("home");
    let (here, there) = (open(&home).await, open(&home).await);
    let stream = free_run(&here, "both").await;
    for n in 0..20 {
        for (store, expected) in [(&here, 2 * n + 2), (&there, 2 * n + 3)] {
            let appended = append_outside(store, &stream, vec![note(n)]).await.unwrap();
            assert_eq!(appended.events[0].seq, expected as u64);
        }
    }
}
