//! Stopping: cancel within two seconds, suspend without losing a result, resume where it was.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use gemicro_core::command::{AckStatus, AgentCommand};
use gemicro_core::drive::{DriveContext, DriveEnd, DriveOptions, begin, drive, resume};
use gemicro_core::execute::Executors;
use gemicro_core::run::RunRow;
use gemicro_core::run::events::RunReaders;
use gemicro_core::store::Store;
use gemicro_event::{Charge, ErrorKind, Json, RunStatus, StreamId};

use crate::support::{
    ProbeStore, TestFlow, context, count, executors, free_failure, journal, output_for, started, step,
    terminal, tokens_charge, types, until, work,
};

/// Executors that hang until they are told to stop, and then end as their key says.
fn stoppable(n_stopped: Arc<AtomicUsize>) -> Executors {
    executors(move |call| {
        let n_stopped = n_stopped.clone();
        Box::pin(async move {
            match call.step.key.as_str() {
                "deaf" => std::future::pending().await,
                "quick" => Ok(output_for(5)),
                key => {
                    call.cancel.cancelled().await;
                    n_stopped.fetch_add(1, Ordering::SeqCst);
                    if key == "late handle" {
                        call.reporter.handle(Json::from(serde_json::json!("h")));
                    }
                    if key == "last moment" {
                        Ok(output_for(7))
                    } else {
                        Err(free_failure(ErrorKind::Cancelled))
                    }
                }
            }
        })
    })
}

struct Begun {
    store: Arc<ProbeStore>,
    ctx: DriveContext,
    id: StreamId,
    n_stopped: Arc<AtomicUsize>,
    driving: tokio::task::JoinHandle<Result<DriveEnd, gemicro_core::drive::DriveError>>,
}

/// A run whose steps hang; all have been started when this returns.
async fn hanging(keys: &'static [&'static str]) -> Begun {
    let store = ProbeStore::new();
    let n_stopped = Arc::new(AtomicUsize::new(0));
    let ctx = context(&store, stoppable(n_stopped.clone()));
    let id = StreamId::random();
    let flow = flow_of(keys);
    let lease = begin(&ctx, &id, None, &started(&flow)).await.expect("begins");
    let in_task = ctx.clone();
    let driving = tokio::spawn(async move { drive(&in_task, &flow_of(keys), lease).await });
    until(&store, &id, |events| count(events, "step_started") == keys.len()).await;
    Begun {
        store,
        ctx,
        id,
        n_stopped,
        driving,
    }
}

fn flow_of(keys: &[&str]) -> TestFlow {
    TestFlow::all_of(keys.iter().map(|key| work(key, 100)).collect())
}

async fn check_cancelled(begun: Begun, since: Instant) {
    let ended = begun.driving.await.expect("no panic").expect("it ends");
    assert!(
        since.elapsed() < Duration::from_secs(2),
        "cancelled after {:?}",
        since.elapsed()
    );
    let DriveEnd::Terminal(last) = ended else {
        panic!("cancelled is an end")
    };
    let events = journal(&begun.store, &begun.id).await;
    assert_eq!(*last, *terminal(&events));
    let cancelled = last.update.as_run_cancelled().expect("run_cancelled");
    // The deaf one and the one that does not know its cost count in full; `b` cost nothing.
    assert_eq!(cancelled.spent, tokens_charge(100).as_upper_bound());
    assert_eq!(
        begun.n_stopped.load(Ordering::SeqCst),
        1,
        "running executors are told"
    );
    assert_eq!(count(&events, "step_failed"), 2);
    assert_eq!(count(&events, "cancel_requested"), 1);
    let mut row = RunRow::new(begun.id, None);
    events.iter().for_each(|event| row.fold(event));
    assert_eq!(
        (row.status, row.spent),
        (RunStatus::Cancelled, tokens_charge(100).as_upper_bound())
    );
}

#[test]
fn the_default_intervals_leave_room_in_two_seconds() {
    let options = DriveOptions::default();
    assert!(options.command_poll + options.grace <= Duration::from_millis(1_800));
}

#[tokio::test]
async fn a_cancel_command_ends_the_run_within_two_seconds() {
    let begun = hanging(&["deaf", "b"]).await;
    let since = Instant::now();
    let command = AgentCommand::cancel("enough");
    begun
        .store
        .send_command(&begun.id, command.clone())
        .await
        .expect("sent");
    let (store, id) = (begun.store.clone(), begun.id.clone());
    check_cancelled(begun, since).await;
    let ack = store
        .acknowledgement(&id, &command.command_id)
        .await
        .expect("store")
        .expect("known");
    assert_eq!(ack.status, AckStatus::Completed);
    let events = journal(&store, &id).await;
    assert_eq!(
        terminal(&events)
            .update
            .as_run_cancelled()
            .expect("cancelled")
            .reason,
        "enough"
    );
}

#[tokio::test]
async fn a_cancel_signal_ends_the_run_within_two_seconds() {
    let begun = hanging(&["deaf", "b"]).await;
    let since = Instant::now();
    begun.ctx.stop.cancel.cancel();
    check_cancelled(begun, since).await;
}

#[tokio::test]
async fn a_suspended_run_keeps_what_it_has_and_continues() {
    let begun = hanging(&["deaf", "last moment", "late handle"]).await;
    begun.ctx.stop.suspend.cancel();
    let ended = begun.driving.await.expect("no panic").expect("it stops");
    assert_eq!(ended, DriveEnd::Suspended);
    let events = journal(&begun.store, &begun.id).await;
    assert_eq!(types(&events).last(), Some(&"run_suspended"));
    assert_eq!(
        count(&events, "step_completed"),
        1,
        "a result of the last moment is kept"
    );
    assert_eq!(count(&events, "step_handle"), 1, "so is a handle");
    let lost: Vec<_> = events
        .iter()
        .filter_map(|event| event.update.as_step_lost())
        .collect();
    let lost: Vec<_> = lost
        .iter()
        .map(|it| (it.step.as_str(), it.charge, it.kept))
        .collect();
    assert_eq!(
        lost,
        [
            ("deaf", tokens_charge(100).as_upper_bound(), false),
            ("late handle", Charge::ZERO, true)
        ],
        "charged its reservation, unless it can be picked up"
    );
    let mut row = RunRow::new(begun.id.clone(), None);
    events.iter().for_each(|event| row.fold(event));
    assert_eq!(
        (row.status, row.spent),
        (
            RunStatus::Suspended,
            tokens_charge(100).as_upper_bound().plus(tokens_charge(7))
        )
    );

    // Another process goes on: the completed step is not run again, the others are attempt 2.
    let attempts = Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = attempts.clone();
    let ctx = context(
        &begun.store,
        executors(move |call| {
            let handle = call.handle.is_some();
            seen.lock()
                .expect("no panic")
                .push((call.step.key.to_string(), call.attempt, handle));
            Box::pin(async { Ok(output_for(1)) })
        }),
    );
    let flow = flow_of(&["deaf", "last moment", "late handle"]);
    let lease = resume(&ctx, &flow, &begun.id)
        .await
        .expect("a suspended run resumes");
    drive(&ctx, &flow, lease).await.expect("ends");
    let events = journal(&begun.store, &begun.id).await;
    assert_eq!(terminal(&events).update.event_type, "final_result");
    assert_eq!(
        (count(&events, "run_suspended"), count(&events, "run_resumed")),
        (1, 1)
    );
    let mut attempts = attempts.lock().expect("no panic").clone();
    attempts.sort();
    assert_eq!(
        attempts,
        [("deaf".to_owned(), 2, false), ("late handle".to_owned(), 2, true)]
    );
}

#[tokio::test]
async fn a_finished_run_stops_what_it_no_longer_needs() {
    let store = ProbeStore::new();
    let n_stopped = Arc::new(AtomicUsize::new(0));
    let ctx = context(&store, stoppable(n_stopped.clone()));
    // Finishes with the first result, while another step hangs.
    let flow = TestFlow::new(|state, _| {
        use gemicro_core::flow::{Decision, Outcome};
        if state.outputs.is_empty() {
            return Decision {
                want: vec![step("b"), work("quick", 9)],
                ..Decision::default()
            };
        }
        let finish = Some(Outcome::Completed {
            message: "first wins".to_owned(),
            data: Json::empty(),
        });
        Decision {
            finish,
            ..Decision::default()
        }
    });
    let (id, ended) = crate::support::run(&ctx, &flow).await;
    ended.expect("ends");
    let events = journal(&store, &id).await;
    assert_eq!(terminal(&events).update.message, "first wins");
    assert_eq!(n_stopped.load(Ordering::SeqCst), 1);
    let stopped = events
        .iter()
        .find_map(|event| event.update.as_step_failed())
        .expect("b was stopped");
    assert_eq!(
        (stopped.error.kind, stopped.charge),
        (ErrorKind::Cancelled, Charge::ZERO)
    );
}

#[tokio::test]
async fn a_step_the_flow_cancels_fails_and_is_not_tried_again() {
    use gemicro_core::flow::{Decision, Outcome};
    let store = ProbeStore::new();
    let ctx = context(&store, stoppable(Arc::default()));
    let flow = TestFlow::new(|state, run| {
        if !state.failures.is_empty() {
            let finish = Some(Outcome::Completed {
                message: "done".to_owned(),
                data: Json::empty(),
            });
            return Decision {
                finish,
                ..Decision::default()
            };
        }
        let cancel = run.running_steps().map(|(key, _)| key.clone()).collect();
        Decision {
            want: vec![step("b")],
            cancel,
            ..Decision::default()
        }
    });
    let (id, ended) = crate::support::run(&ctx, &flow).await;
    ended.expect("ends");
    let events = journal(&store, &id).await;
    let failed = events
        .iter()
        .find_map(|event| event.update.as_step_failed())
        .expect("b was stopped");
    assert_eq!(failed.error.kind, ErrorKind::Cancelled);
    assert_eq!(count(&events, "step_started"), 1);
}

/// A full disk or a missing blob is not the step's fault: the run stops, says why, and goes on later.
#[tokio::test]
async fn a_failing_disk_suspends_the_run() {
    let store = ProbeStore::new();
    let n_calls = Arc::new(AtomicUsize::new(0));
    let in_steps = n_calls.clone();
    let ctx = context(
        &store,
        executors(move |_| {
            let call = in_steps.fetch_add(1, Ordering::SeqCst);
            Box::pin(async move {
                if call == 0 {
                    Err(free_failure(ErrorKind::StorageError))
                } else {
                    Ok(output_for(5))
                }
            })
        }),
    );
    let id = StreamId::random();
    let flow = TestFlow::all_of(vec![step("disk")]);
    let lease = begin(&ctx, &id, None, &started(&flow)).await.expect("begins");

    let halted = drive(&ctx, &flow, lease).await;

    let failure = gemicro_event::Failure::from(halted.expect_err("it does not end"));
    assert_eq!(failure.kind, ErrorKind::StorageError);
    let events = journal(&store, &id).await;
    assert_eq!(types(&events).last().copied(), Some("run_suspended"));
    assert_eq!(
        (count(&events, "step_lost"), count(&events, "step_failed")),
        (1, 0)
    );

    let lease = resume(&ctx, &flow, &id).await.expect("it can be resumed");
    drive(&ctx, &flow, lease).await.expect("it ends");
    let events = journal(&store, &id).await;
    assert_eq!(types(&events).last().copied(), Some("final_result"));
    assert_eq!(n_calls.load(Ordering::SeqCst), 2);
}
