//! The right to drive a run.

use std::sync::Arc;
use std::time::Duration;

use gemicro_core::store::{Store, StoreError};

use crate::make::{MINUTE, driven_run, free_run};

pub(crate) async fn a_lease_is_taken_renewed_and_given_back(store: Arc<dyn Store>) {
    let stream = free_run(&*store, "lease").await;
    let lease = store.take_lease(&stream, "first", MINUTE).await.unwrap();
    assert_eq!((lease.owner.as_str(), lease.epoch), ("first", 1));
    let held = StoreError::LeaseHeld {
        stream: stream.clone(),
        owner: "first".to_owned(),
        expires_at: lease.expires_at,
    };
    assert_eq!(
        store.take_lease(&stream, "second", MINUTE).await.unwrap_err(),
        held
    );
    let renewed = store.renew_lease(&lease, MINUTE * 10).await.unwrap();
    assert!(renewed.expires_at > lease.expires_at);
    assert_eq!(renewed.epoch, 1);
    store.release_lease(&renewed).await.unwrap();
    store.release_lease(&renewed).await.unwrap();
    let lost = StoreError::LeaseLost {
        stream: stream.clone(),
    };
    assert_eq!(store.renew_lease(&renewed, MINUTE).await.unwrap_err(), lost);
    assert_eq!(
        store.take_lease(&stream, "second", MINUTE).await.unwrap().epoch,
        2
    );
    // Giving back what is lost does not take it from its new holder.
    store.release_lease(&renewed).await.unwrap();
    assert!(store.take_lease(&stream, "third", MINUTE).await.is_err());
}

pub(crate) async fn an_expired_lease_can_be_stolen(store: Arc<dyn Store>) {
    let stream = free_run(&*store, "expires").await;
    let slept = store
        .take_lease(&stream, "sleeper", Duration::ZERO)
        .await
        .unwrap();
    let woken = store.renew_lease(&slept, Duration::ZERO).await.unwrap();
    let taken = store.take_lease(&stream, "thief", MINUTE).await.unwrap();
    assert_eq!(taken.epoch, woken.epoch + 1);
    let lost = StoreError::LeaseLost {
        stream: stream.clone(),
    };
    assert_eq!(store.renew_lease(&woken, MINUTE).await.unwrap_err(), lost);
}

pub(crate) async fn of_two_takers_one_wins(store: Arc<dyn Store>) {
    for _ in 0..20 {
        let stream = free_run(&*store, "race").await;
        let takers: Vec<_> = (0..4)
            .map(|taker| {
                let (store, stream) = (Arc::clone(&store), stream.clone());
                tokio::spawn(
                    async move { store.take_lease(&stream, &format!("taker {taker}"), MINUTE).await },
                )
            })
            .collect();
        let mut n_winners = 0;
        for taker in takers {
            match taker.await.unwrap() {
                Ok(lease) => {
                    assert_eq!(lease.epoch, 1);
                    n_winners += 1;
                }
                Err(StoreError::LeaseHeld { .. }) => {}
                Err(error) => panic!("{error}"),
            }
        }
        assert_eq!(n_winners, 1);
    }
}

pub(crate) async fn the_same_owner_may_take_it_again(store: Arc<dyn Store>) {
    let lease = driven_run(&*store, "same").await;
    let again = store.take_lease(&lease.stream, "same", MINUTE).await.unwrap();
    assert_eq!(again.epoch, 2);
    let lost = StoreError::LeaseLost {
        stream: lease.stream.clone(),
    };
    assert_eq!(store.renew_lease(&lease, MINUTE).await.unwrap_err(), lost);
}
