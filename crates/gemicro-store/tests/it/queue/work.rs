//! Many steps at once.

use gemicro_core::queue::{Settlement, StepQueue, WorkerNews};
use gemicro_store::DurableStore;

use super::{claim, done, enqueue, step};
use crate::make::{MINUTE, all, free_run, gap_free};

pub(super) async fn hundreds_of_completions_share_a_commit(store: DurableStore) {
    let stream = free_run(&store, "many").await;
    let steps = (0..400).map(|n| step(&stream, &format!("s{n}"))).collect();
    assert_eq!(enqueue(&store, steps).await, 400);
    let n_groups_before = store.n_groups();
    for _ in 0..2 {
        let claimed = claim(&store, "w", 200, MINUTE).await;
        assert_eq!(claimed.len(), 200);
        let settlements = claimed.iter().map(|step| Settlement {
            lease: step.lease.clone(),
            news: WorkerNews::Completed,
            events: done(step),
        });
        for settled in store.settle(settlements.collect()).await {
            settled.unwrap();
        }
    }
    let n_groups = store.n_groups() - n_groups_before;
    assert!(n_groups <= 20, "{n_groups} commits for 400 completions");
    assert_eq!(gap_free(&all(&store, &stream).await), 401);
    assert_eq!(store.counts(Some(&stream)).await.unwrap().completed, 400);
}
