//! Who may append.

use std::sync::Arc;

use gemicro_core::store::{StepMark, Store, StoreError, Writer};
use gemicro_event::StepKey;

use crate::make::{MINUTE, all, append, append_outside, driven_run, end, free_run, gap_free, note, of_step};

pub(crate) async fn the_driver_needs_its_epoch(store: Arc<dyn Store>) {
    let lease = driven_run(&*store, "first").await;
    assert_eq!(lease.epoch, 1);
    let stream = &lease.stream;
    let driver = |epoch, expected_seq| Writer::Driver { epoch, expected_seq };
    append(&*store, stream, driver(1, 1), vec![note(1)])
        .await
        .unwrap();
    let lost = StoreError::LeaseLost {
        stream: stream.clone(),
    };
    assert_eq!(
        append(&*store, stream, driver(7, 2), vec![note(2)])
            .await
            .unwrap_err(),
        lost
    );
    store.release_lease(&lease).await.unwrap();
    assert_eq!(
        append(&*store, stream, driver(1, 2), vec![note(2)])
            .await
            .unwrap_err(),
        lost
    );
    let next = store.take_lease(stream, "second", MINUTE).await.unwrap();
    assert_eq!(next.epoch, 2);
    assert_eq!(
        append(&*store, stream, driver(1, 2), vec![note(2)])
            .await
            .unwrap_err(),
        lost
    );
    append(&*store, stream, driver(2, 2), vec![note(2)])
        .await
        .unwrap();
    assert_eq!(gap_free(&all(&*store, stream).await), 3);
}

pub(crate) async fn the_driver_needs_the_last_seq(store: Arc<dyn Store>) {
    let lease = driven_run(&*store, "driver").await;
    let stream = &lease.stream;
    let driver = |expected_seq| Writer::Driver {
        epoch: 1,
        expected_seq,
    };
    append(&*store, stream, driver(1), vec![note(1)]).await.unwrap();
    let moved = StoreError::Moved {
        stream: stream.clone(),
        expected: 1,
        actual: 2,
    };
    assert_eq!(
        append(&*store, stream, driver(1), vec![note(2)])
            .await
            .unwrap_err(),
        moved
    );
    append(&*store, stream, driver(2), vec![end()]).await.unwrap();
    let ended = StoreError::Ended {
        stream: stream.clone(),
    };
    assert_eq!(
        append(&*store, stream, driver(3), vec![note(2)])
            .await
            .unwrap_err(),
        ended
    );
}

pub(crate) async fn an_executor_needs_the_running_attempt(store: Arc<dyn Store>) {
    let lease = driven_run(&*store, "driver").await;
    let stream = &lease.stream;
    let executor = |attempt| Writer::Executor {
        step: StepKey::new("ask"),
        attempt,
    };
    let fenced = |attempt| StoreError::Fenced {
        stream: stream.clone(),
        step: "ask".to_owned(),
        attempt,
    };
    let driver = |expected_seq| Writer::Driver {
        epoch: 1,
        expected_seq,
    };
    assert_eq!(
        append(&*store, stream, executor(1), vec![note(1)])
            .await
            .unwrap_err(),
        fenced(1)
    );
    append(
        &*store,
        stream,
        driver(1),
        vec![of_step("ask", StepMark::Started(1))],
    )
    .await
    .unwrap();
    append(&*store, stream, executor(1), vec![note(1)]).await.unwrap();
    assert_eq!(
        append(&*store, stream, executor(2), vec![note(1)])
            .await
            .unwrap_err(),
        fenced(2)
    );
    append(
        &*store,
        stream,
        driver(3),
        vec![of_step("ask", StepMark::Started(2))],
    )
    .await
    .unwrap();
    assert_eq!(
        append(&*store, stream, executor(1), vec![note(1)])
            .await
            .unwrap_err(),
        fenced(1)
    );
    append(
        &*store,
        stream,
        executor(2),
        vec![of_step("ask", StepMark::Ended(2))],
    )
    .await
    .unwrap();
    let doubled = append(
        &*store,
        stream,
        executor(2),
        vec![of_step("ask", StepMark::Ended(2))],
    )
    .await;
    assert_eq!(doubled.unwrap_err(), fenced(2));
    assert_eq!(gap_free(&all(&*store, stream).await), 5);
}

pub(crate) async fn outsiders_wait_for_the_lease(store: Arc<dyn Store>) {
    let lease = driven_run(&*store, "driver").await;
    let refused = append_outside(&*store, &lease.stream, vec![note(1)])
        .await
        .unwrap_err();
    let held = StoreError::LeaseHeld {
        stream: lease.stream.clone(),
        owner: "driver".to_owned(),
        expires_at: lease.expires_at,
    };
    assert_eq!(refused, held);
    store.release_lease(&lease).await.unwrap();
    append_outside(&*store, &lease.stream, vec![note(1)])
        .await
        .unwrap();
}

pub(crate) async fn a_refused_append_leaves_no_running_step(store: Arc<dyn Store>) {
    let stream = free_run(&*store, "refused").await;
    let events = vec![of_step("ask", StepMark::Started(1))];
    let moved = append(
        &*store,
        &stream,
        Writer::Driver {
            epoch: 1,
            expected_seq: 1,
        },
        events,
    )
    .await;
    assert_eq!(
        moved.unwrap_err(),
        StoreError::LeaseLost {
            stream: stream.clone()
        }
    );
    let executor = Writer::Executor {
        step: StepKey::new("ask"),
        attempt: 1,
    };
    let fenced = StoreError::Fenced {
        stream: stream.clone(),
        step: "ask".to_owned(),
        attempt: 1,
    };
    assert_eq!(
        append(&*store, &stream, executor, vec![note(1)])
            .await
            .unwrap_err(),
        fenced
    );
}
