//! What all workers together may ask of a provider.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gemicro_core::queue::{ProviderLimit, QueuedStep, StepQueue};
use gemicro_event::StreamId;
use gemicro_store::DurableStore;

use super::{claim, done, enqueue, names, step};
use crate::make::{MINUTE, free_run};

fn of_provider(stream: &StreamId, provider: &str, n_steps: usize) -> Vec<QueuedStep> {
    let of_provider = |n| QueuedStep {
        provider: Some(provider.to_owned()),
        ..step(stream, &format!("{provider}-{n}"))
    };
    (0..n_steps).map(of_provider).collect()
}

fn limit(provider: &str, max_running: Option<u32>, per_minute: Option<u32>) -> ProviderLimit {
    ProviderLimit {
        provider: provider.to_owned(),
        max_running,
        per_minute,
    }
}

pub(super) async fn eight_workers_hold_the_number_at_once(store: DurableStore) {
    let stream = free_run(&store, "at once").await;
    store.set_limit(limit("gemini", Some(5), None)).await.unwrap();
    enqueue(&store, of_provider(&stream, "gemini", 120)).await;
    let (n_running, n_most, n_done) = (
        Arc::new(AtomicUsize::new(0)),
        Arc::new(AtomicUsize::new(0)),
        Arc::new(AtomicUsize::new(0)),
    );
    let workers: Vec<_> = (0..8)
        .map(|n| {
            let store = store.clone();
            let (n_running, n_most, n_done) = (n_running.clone(), n_most.clone(), n_done.clone());
            tokio::spawn(async move {
                while n_done.load(Ordering::SeqCst) < 120 {
                    let claimed = claim(&store, &format!("w{n}"), 3, MINUTE).await;
                    if claimed.is_empty() {
                        tokio::task::yield_now().await;
                        continue;
                    }
                    let now = n_running.fetch_add(claimed.len(), Ordering::SeqCst) + claimed.len();
                    n_most.fetch_max(now, Ordering::SeqCst);
                    for step in &claimed {
                        // Before the store lets the next one in.
                        n_running.fetch_sub(1, Ordering::SeqCst);
                        store.complete(&step.lease, done(step)).await.unwrap();
                        n_done.fetch_add(1, Ordering::SeqCst);
                    }
                }
            })
        })
        .collect();
    for worker in workers {
        worker.await.unwrap();
    }
    let n_most = n_most.load(Ordering::SeqCst);
    assert!((1..=5).contains(&n_most), "{n_most} at once");
    assert_eq!(store.counts(Some(&stream)).await.unwrap().completed, 120);
}

pub(super) async fn eight_workers_hold_the_rate(store: DurableStore) {
    let stream = free_run(&store, "rate").await;
    store.set_limit(limit("gemini", None, Some(11))).await.unwrap();
    assert_eq!(store.limits().await.unwrap(), [limit("gemini", None, Some(11))]);
    enqueue(&store, of_provider(&stream, "gemini", 50)).await;
    let workers: Vec<_> = (0..8)
        .map(|n| {
            let store = store.clone();
            tokio::spawn(async move {
                let mut n_taken = 0;
                for _ in 0..4 {
                    let claimed = claim(&store, &format!("w{n}"), 2, MINUTE).await;
                    n_taken += claimed.len();
                    for step in &claimed {
                        store.complete(&step.lease, done(step)).await.unwrap();
                    }
                }
                n_taken
            })
        })
        .collect();
    let mut n_taken = 0;
    for worker in workers {
        n_taken += worker.await.unwrap();
    }
    assert_eq!(n_taken, 11);
    store.set_limit(limit("gemini", None, Some(13))).await.unwrap();
    assert_eq!(claim(&store, "w", 50, MINUTE).await.len(), 2);
    store.set_limit(limit("gemini", None, None)).await.unwrap();
    assert_eq!(claim(&store, "w", 50, MINUTE).await.len(), 37);
    assert_eq!(store.limits().await.unwrap(), []);
}

pub(super) async fn a_full_provider_does_not_stop_the_others(store: DurableStore) {
    let stream = free_run(&store, "others").await;
    store.set_limit(limit("full", Some(1), None)).await.unwrap();
    store.set_limit(limit("closed", Some(0), None)).await.unwrap();
    let mut steps = of_provider(&stream, "full", 3);
    for step in &mut steps {
        step.priority = 9;
    }
    steps.extend(of_provider(&stream, "closed", 2));
    steps.extend(of_provider(&stream, "free", 2));
    enqueue(&store, steps).await;
    let first = claim(&store, "w", 10, MINUTE).await;
    let of_first =
        |names: &[&str]| -> Vec<(String, u32)> { names.iter().map(|name| ((*name).to_owned(), 1)).collect() };
    assert_eq!(names(&first), of_first(&["full-0", "free-0", "free-1"]));
    assert_eq!(names(&claim(&store, "w", 10, MINUTE).await), []);
    store.complete(&first[0].lease, done(&first[0])).await.unwrap();
    assert_eq!(
        names(&claim(&store, "w", 10, MINUTE).await),
        of_first(&["full-1"])
    );
}
