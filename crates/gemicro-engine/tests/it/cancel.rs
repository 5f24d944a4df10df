//! Cancelling from another process: whoever drives it, or nobody.

use std::time::{Duration, Instant};

use gemicro_engine::CancelOutcome;
use gemicro_event::{ErrorKind, StreamId};

use crate::support::{Place, count, engine, journal, terminal};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_that_another_engine_drives_is_cancelled_in_time() {
    let place = Place::new();
    let driving = engine(place.path(), "driver", Duration::from_secs(3_600)).await;
    let run = driving
        .start(&place.plan(), Default::default())
        .await
        .expect("starts");
    let other = engine(place.path(), "other", Duration::ZERO).await;
    let since = Instant::now();
    let outcome = other.cancel(&run.id, "enough").await.expect("cancelled");
    assert_eq!(outcome, CancelOutcome::Cancelled);
    assert!(since.elapsed() < Duration::from_secs(5), "{:?}", since.elapsed());
    let id = run.id.clone();
    run.wait().await.expect("its driver saw it");
    let events = journal(&other, &id).await;
    assert_eq!(terminal(&events).update.event_type, "run_cancelled");
    assert_eq!(other.cancel(&id, "again").await, Ok(CancelOutcome::AlreadyEnded));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_suspended_run_is_cancelled_without_starting_a_step() {
    let place = Place::new();
    let driving = engine(place.path(), "driver", Duration::from_secs(3_600)).await;
    let stop = gemicro_core::drive::StopSignals::default();
    let run = driving.start(&place.plan(), stop.clone()).await.expect("starts");
    let id = run.id.clone();
    stop.suspend.cancel();
    run.wait().await.expect("suspended");
    let n_started = count(&journal(&driving, &id).await, "step_started");
    let other = engine(place.path(), "other", Duration::ZERO).await;
    assert_eq!(
        other.cancel(&id, "never mind").await,
        Ok(CancelOutcome::Cancelled)
    );
    let events = journal(&other, &id).await;
    assert_eq!(terminal(&events).update.event_type, "run_cancelled");
    assert_eq!(count(&events, "step_started"), n_started);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unknown_run_is_not_found() {
    let place = Place::new();
    let engine = place.engine().await;
    let id = StreamId::random();
    let kind = |failure: gemicro_event::Failure| failure.kind;
    assert_eq!(
        engine.cancel(&id, "").await.map_err(kind),
        Err(ErrorKind::NotFound)
    );
    assert_eq!(
        engine
            .resume(&id, Default::default())
            .await
            .map(drop)
            .map_err(kind),
        Err(ErrorKind::NotFound)
    );
}
