//! Kept folds.

use std::sync::Arc;

use gemicro_core::store::Store;

use crate::make::free_run;

pub(crate) async fn the_last_snapshot_is_kept(store: Arc<dyn Store>) {
    let stream = free_run(&*store, "fold").await;
    assert_eq!(store.load_snapshot(&stream).await.unwrap(), None);
    store.save_snapshot(&stream, 1, vec![0, 1, 255]).await.unwrap();
    store.save_snapshot(&stream, 2, vec![7; 100_000]).await.unwrap();
    assert_eq!(
        store.load_snapshot(&stream).await.unwrap(),
        Some((2, vec![7; 100_000]))
    );
    let other = free_run(&*store, "other").await;
    assert_eq!(store.load_snapshot(&other).await.unwrap(), None);
}
