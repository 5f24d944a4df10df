//! Following a stream: nothing lost, nothing doubled.

use std::sync::Arc;

use futures_util::StreamExt;
use gemicro_core::store::{Store, StoreError};
use gemicro_event::StreamId;

use crate::make::{all, append_outside, end, follow, free_run, gap_free, large, note};

pub(crate) async fn a_subscriber_sees_everything_once(store: Arc<dyn Store>) {
    let stream = free_run(&*store, "before").await;
    let events = store.subscribe(&stream, 0);
    append_outside(&*store, &stream, (0..3).map(note).collect())
        .await
        .unwrap();
    append_outside(&*store, &stream, vec![note(3), end()])
        .await
        .unwrap();
    let seen: Vec<_> = events.map(Result::unwrap).collect().await;
    assert_eq!(gap_free(&seen), 6);
    assert_eq!(seen, all(&*store, &stream).await);
}

pub(crate) async fn a_subscriber_sees_commits_as_they_are_stored(store: Arc<dyn Store>) {
    let stream = free_run(&*store, "meanwhile").await;
    let mut events = store.subscribe(&stream, 0);
    let mut seen = vec![events.next().await.unwrap().unwrap()];
    // One event, several, large ones, and commits that nobody looked at in between.
    let commits = [
        vec![vec![note(1)]],
        vec![vec![note(2), note(3)]],
        vec![vec![large("large ")]],
        vec![vec![note(4)], vec![large("large "), note(5)], vec![note(6)]],
        vec![vec![note(7)]],
        vec![vec![note(8), end()]],
    ];
    for unseen in commits {
        let n_events: usize = unseen.iter().map(Vec::len).sum();
        for commit in unseen {
            append_outside(&*store, &stream, commit).await.unwrap();
        }
        for _ in 0..n_events {
            seen.push(events.next().await.unwrap().unwrap());
        }
    }
    assert!(events.next().await.is_none());
    assert_eq!(gap_free(&seen), 12);
    assert_eq!(seen, all(&*store, &stream).await);
}

pub(crate) async fn a_late_subscriber_gets_the_suffix(store: Arc<dyn Store>) {
    let stream = free_run(&*store, "after").await;
    append_outside(&*store, &stream, (0..1500).map(note).chain([end()]).collect())
        .await
        .unwrap();
    let whole = all(&*store, &stream).await;
    assert_eq!(follow(&*store, &stream, 0).await, whole);
    assert_eq!(follow(&*store, &stream, 1400).await, whole[1400..]);
}

pub(crate) async fn subscribers_during_many_appends(store: Arc<dyn Store>) {
    let stream = free_run(&*store, "during").await;
    let mut followers = Vec::new();
    for n in 0..200 {
        if n % 20 == 0 {
            let (store, stream) = (Arc::clone(&store), stream.clone());
            let after = n as u64 / 2;
            followers.push((
                after,
                tokio::spawn(async move { follow(&*store, &stream, after).await }),
            ));
        }
        append_outside(&*store, &stream, vec![note(n)]).await.unwrap();
    }
    append_outside(&*store, &stream, vec![end()]).await.unwrap();
    let whole = all(&*store, &stream).await;
    for (after, follower) in followers {
        let from = usize::try_from(after).unwrap();
        assert_eq!(follower.await.unwrap(), whole[from..]);
    }
}

pub(crate) async fn subscribing_to_nothing_fails(store: Arc<dyn Store>) {
    let stream = StreamId::random();
    let mut events = store.subscribe(&stream, 0);
    let missing = StoreError::NotFound {
        stream: stream.to_string(),
    };
    assert_eq!(events.next().await.unwrap().unwrap_err(), missing);
    assert!(events.next().await.is_none());
}
