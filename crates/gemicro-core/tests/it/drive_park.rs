//! A limit with a stated end parks the run; a call that was cut off is picked up under its old reservation.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use gemicro_core::budget::Limits;
use gemicro_core::drive::{DriveContext, begin, drive, resume};
use gemicro_core::execute::Executors;
use gemicro_core::flow::{AttemptCost, RetryPolicy, Step, StepFailure};
use gemicro_core::run::RunRow;
use gemicro_core::run::events::{RunReaders, RunStarted};
use gemicro_core::store::Store;
use gemicro_event::{Charge, ErrorKind, Event, Failure, Json, RunStatus, StreamId, Timestamp};

use crate::support::{
    Death, ProbeStore, TestFlow, context, count, executors, expire_lease, journal, output, output_for, run,
    run_started, started, tokens_charge, work,
};

fn limited(kind: ErrorKind, wait_ms: Option<u64>) -> StepFailure {
    let failure = Failure {
        retry_after_ms: wait_ms,
        ..Failure::new(kind, "the limit is reached")
    };
    StepFailure::free(failure)
}

/// Every step meets the limit this many times before it is let through.
fn meets_limit(times: usize, kind: ErrorKind, wait_ms: Option<u64>) -> (Executors, Arc<AtomicUsize>) {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = calls.clone();
    let executors = executors(move |call| {
        let n = counted.fetch_add(1, Ordering::SeqCst);
        Box::pin(async move {
            if n < times {
                Err(limited(kind, wait_ms))
            } else {
                Ok(output(call.step.key.as_str()))
            }
        })
    });
    (executors, calls)
}

fn parking(store: &Arc<ProbeStore>, executors: Executors) -> DriveContext {
    let mut ctx = context(store, executors);
    ctx.options.park_from = Duration::from_millis(50);
    ctx
}

fn first_of<'a>(events: &'a [Event], event_type: &str) -> &'a Event {
    let mut events = events.iter();
    events
        .find(|event| event.update.event_type == event_type)
        .unwrap_or_else(|| panic!("no {event_type}"))
}

#[tokio::test]
async fn nothing_is_sent_while_parked_and_it_continues_by_itself() {
    for kind in [ErrorKind::RateLimited, ErrorKind::QuotaExhausted] {
        let store = ProbeStore::new();
        // All three first calls meet the limit; more attempts than any retry policy would allow.
        let (executors, calls) = meets_limit(3, kind, Some(300));
        let ctx = parking(&store, executors);
        let flow = TestFlow::all_of(vec![work("a", 0), work("b", 0), work("c", 0)]);
        let (id, ended) = run(&ctx, &flow).await;
        ended.expect("it ends");
        let events = journal(&store, &id).await;
        assert_eq!(
            (count(&events, "step_parked"), count(&events, "run_parked")),
            (3, 1),
            "one limit is told once"
        );
        assert_eq!(
            (count(&events, "run_woken"), count(&events, "step_retrying")),
            (1, 0)
        );
        assert_eq!(
            (count(&events, "step_completed"), calls.load(Ordering::SeqCst)),
            (3, 6)
        );
        let until = first_of(&events, "run_parked")
            .update
            .as_run_parked()
            .expect("reads")
            .until;
        let woken = first_of(&events, "run_woken");
        assert!(woken.update.timestamp >= until);
        let sent_meanwhile = events.iter().filter(|event| {
            let parked = first_of(&events, "run_parked").seq;
            event.update.event_type == "step_started" && (parked..woken.seq).contains(&event.seq)
        });
        assert_eq!(sent_meanwhile.count(), 0);
    }
}

#[tokio::test]
async fn a_short_or_unknown_wait_is_an_ordinary_retry_and_a_quota_without_end_a_failure() {
    let cases = [
        (ErrorKind::RateLimited, Some(10), 1, true),
        (ErrorKind::RateLimited, None, 1, true),
        (ErrorKind::QuotaExhausted, None, 0, false),
        (ErrorKind::QuotaExhausted, Some(400 * 3_600_000), 0, false),
    ];
    for (kind, wait_ms, n_retries, completes) in cases {
        let store = ProbeStore::new();
        let (executors, _) = meets_limit(1, kind, wait_ms);
        let retry = RetryPolicy {
            max_attempts: 2,
            base_ms: 1,
            cap_ms: 1,
        };
        let flow = TestFlow::all_of(vec![Step {
            retry,
            ..work("a", 0)
        }]);
        let (id, _) = run(&parking(&store, executors), &flow).await;
        let events = journal(&store, &id).await;
        assert_eq!(count(&events, "step_parked"), 0, "{kind} {wait_ms:?}");
        assert_eq!(count(&events, "step_retrying"), n_retries, "{kind} {wait_ms:?}");
        assert_eq!(
            count(&events, "step_completed"),
            usize::from(completes),
            "{kind} {wait_ms:?}"
        );
    }
}

#[tokio::test]
async fn a_parked_run_survives_a_restart_and_still_waits() {
    let first = ProbeStore::new();
    let (executors, _) = meets_limit(1, ErrorKind::RateLimited, Some(700));
    let ctx = parking(&first, executors);
    let flow = TestFlow::all_of(vec![work("a", 0)]);
    let id = StreamId::random();
    let lease = begin(&ctx, &id, None, &started(&flow)).await.expect("begins");
    let driving = tokio::time::timeout(Duration::from_millis(200), drive(&ctx, &flow, lease)).await;
    assert!(driving.is_err(), "parked, and its process is gone");
    let parked = journal(&first, &id).await;
    let until = first_of(&parked, "run_parked")
        .update
        .as_run_parked()
        .expect("reads")
        .until;
    assert_eq!(row(&first, &id).await.status, RunStatus::Parked);

    let (executors, calls) = meets_limit(0, ErrorKind::RateLimited, None);
    let ctx = parking(&first, executors);
    expire_lease(&first, &id).await;
    let lease = resume(&ctx, &flow, &id).await.expect("resumes");
    assert_eq!(row(&first, &id).await.status, RunStatus::Parked, "it is shown");
    drive(&ctx, &flow, lease).await.expect("ends");
    let events = journal(&first, &id).await;
    let again = events
        .iter()
        .rfind(|event| event.update.event_type == "step_started");
    assert!(again.expect("started").update.timestamp >= until);
    assert_eq!(calls.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn the_time_limit_ends_a_wait_that_is_longer() {
    let store = ProbeStore::new();
    let (executors, calls) = meets_limit(9, ErrorKind::QuotaExhausted, Some(3_600_000));
    let flow = TestFlow::all_of(vec![work("a", 0)]);
    let limits = Limits {
        wall_ms: Some(250),
        ..Limits::NONE
    };
    let (id, ended) = run_started(
        &parking(&store, executors),
        &flow,
        &RunStarted {
            limits,
            ..started(&flow)
        },
    )
    .await;
    ended.expect("it ends");
    let events = journal(&store, &id).await;
    let failed = first_of(&events, "step_failed")
        .update
        .as_step_failed()
        .expect("reads");
    assert_eq!(
        (failed.error.kind, calls.load(Ordering::SeqCst)),
        (ErrorKind::BudgetExceeded, 1)
    );
}

/// The row that lists show, folded from the journal.
async fn row(store: &ProbeStore, id: &StreamId) -> RunRow {
    let mut row = RunRow::new(id.clone(), None);
    for event in journal(store, id).await {
        row.fold(&event);
    }
    row
}

/// Runs a step of 30 tokens whose process dies after its handle is durable.
async fn cut_off(flow: &TestFlow, limits: Limits) -> (Arc<ProbeStore>, StreamId) {
    let first = ProbeStore::over(Default::default(), Death::After(3));
    let executors = executors(|call| {
        Box::pin(async move {
            call.reporter.handle(Json::from(serde_json::json!("h")));
            std::future::pending().await
        })
    });
    let ctx = context(&first, executors);
    let id = StreamId::random();
    let lease = begin(
        &ctx,
        &id,
        None,
        &RunStarted {
            limits,
            ..started(flow)
        },
    )
    .await
    .expect("begins");
    drive(&ctx, flow, lease).await.expect_err("it dies");
    expire_lease(&first, &id).await;
    (ProbeStore::over(first.inner.clone(), Death::Never), id)
}

fn spent(events: &[Event]) -> Charge {
    let charges = events
        .iter()
        .filter_map(|event| event.update.data.get("charge").cloned());
    let charges = charges.map(|charge| serde_json::from_value(charge).expect("a charge"));
    charges.fold(Charge::ZERO, Charge::plus)
}

#[tokio::test]
async fn a_call_that_is_picked_up_is_paid_once() {
    // The budget has room for one such call only.
    let limits = Limits {
        tokens: Some(30),
        ..Limits::NONE
    };
    let flow = TestFlow::all_of(vec![work("a", 30)]);
    let (store, id) = cut_off(&flow, limits).await;
    let ctx = context(
        &store,
        executors(|call| {
            Box::pin(async move {
                assert!(call.handle.is_some());
                Ok(output_for(20))
            })
        }),
    );
    let lease = resume(&ctx, &flow, &id).await.expect("resumes");
    drive(&ctx, &flow, lease).await.expect("ends");
    let events = journal(&store, &id).await;
    assert_eq!(
        (count(&events, "step_completed"), spent(&events)),
        (1, tokens_charge(20))
    );
    assert_eq!(row(&store, &id).await.spent, tokens_charge(20));
}

#[tokio::test]
async fn a_handle_that_leads_nowhere_is_counted_and_a_new_call_is_made() {
    let flow = TestFlow::all_of(vec![work("a", 30)]);
    let (store, id) = cut_off(
        &flow,
        Limits {
            tokens: Some(60),
            ..Limits::NONE
        },
    )
    .await;
    let ctx = context(
        &store,
        executors(|call| {
            Box::pin(async move {
                match call.handle {
                    Some(_) => Err(StepFailure::new(
                        Failure::new(ErrorKind::SessionNotFound, "it is gone"),
                        AttemptCost::Unknown,
                    )),
                    None => Ok(output_for(20)),
                }
            })
        }),
    );
    let lease = resume(&ctx, &flow, &id).await.expect("resumes");
    drive(&ctx, &flow, lease).await.expect("ends");
    let events = journal(&store, &id).await;
    assert_eq!(
        (count(&events, "step_completed"), spent(&events)),
        (1, tokens_charge(30).as_upper_bound().plus(tokens_charge(20)))
    );
}

#[tokio::test]
async fn a_call_that_no_one_picks_up_is_counted_at_its_worst_case() {
    let flow = TestFlow::all_of(vec![work("a", 30)]);
    let (store, id) = cut_off(&flow, Limits::NONE).await;
    let ctx = context(&store, executors(|_| Box::pin(async { Ok(output("never")) })));
    let lease = resume(&ctx, &flow, &id).await.expect("resumes");
    let command = gemicro_core::command::AgentCommand::cancel("enough");
    store.inner.send_command(&id, command).await.expect("sent");
    drive(&ctx, &flow, lease).await.expect("ends");
    let events = journal(&store, &id).await;
    assert_eq!(
        events.last().map(|event| event.update.event_type.as_str()),
        Some("run_cancelled")
    );
    let cancelled = first_of(&events, "run_cancelled")
        .update
        .as_run_cancelled()
        .expect("reads");
    assert_eq!(
        (spent(&events), cancelled.spent),
        (
            tokens_charge(30).as_upper_bound(),
            tokens_charge(30).as_upper_bound()
        )
    );
    assert!(first_of(&events, "step_lost").update.timestamp <= Timestamp::now());
}
