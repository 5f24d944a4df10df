//! Time: limits that come near and pass, timers, and waits that must not outlive them.

use std::time::Duration;

use gemicro_core::budget::{Limits, Purpose};
use gemicro_core::flow::{Decision, Outcome, RetryPolicy, RunWait, Step, StepFailure};
use gemicro_core::run::events::{RunReaders, RunStarted};
use gemicro_event::{ErrorKind, Failure, Json, StepKey};

use crate::support::{
    ProbeStore, TestFlow, context, count, executors, journal, output, prompt, run, run_started, started,
    step, terminal, types,
};

/// Hangs on every key but `last`.
fn slow() -> gemicro_core::execute::Executors {
    executors(|call| {
        Box::pin(async move {
            if call.step.key.as_str() != "last" {
                std::future::pending::<()>().await;
            }
            Ok(output("done"))
        })
    })
}

/// Wants `ordinary`, and `last` once that has its end.
fn two_phases() -> TestFlow {
    TestFlow::new(|_, run| {
        let done = |key: &str| run.is_done(&StepKey::new(key));
        if done("last") {
            let finish = Some(Outcome::Completed {
                message: "done".to_owned(),
                data: Json::empty(),
            });
            return Decision {
                finish,
                ..Decision::default()
            };
        }
        let last = Step {
            purpose: Purpose::Last,
            ..step("last")
        };
        let next = if done("ordinary") { last } else { step("ordinary") };
        Decision {
            want: vec![next],
            ..Decision::default()
        }
    })
}

#[tokio::test]
async fn near_its_time_limit_a_run_finishes_with_what_there_is() {
    let store = ProbeStore::new();
    let mut ctx = context(&store, slow());
    ctx.options.grace = Duration::from_millis(1);
    let flow = two_phases();
    let limits = Limits {
        wall_ms: Some(60_000),
        ..Limits::default()
    };
    let begun = RunStarted {
        limits,
        held_back_ms: 59_990,
        ..started(&flow)
    };
    let (id, ended) = run_started(&ctx, &flow, &begun).await;
    ended.expect("ends");
    let events = journal(&store, &id).await;
    let stopped = events
        .iter()
        .find_map(|event| event.update.as_step_failed())
        .expect("ordinary was stopped");
    assert_eq!(
        (stopped.step.as_str(), stopped.error.kind),
        ("ordinary", ErrorKind::BudgetExceeded)
    );
    let completed = events
        .iter()
        .find_map(|event| event.update.as_step_completed())
        .expect("last ran");
    assert_eq!(completed.step.as_str(), "last");
    let passed: Vec<bool> = events
        .iter()
        .filter_map(|event| event.update.as_deadline_passed())
        .map(|it| it.over)
        .collect();
    assert_eq!(passed, [false]);
    assert_eq!(terminal(&events).update.event_type, "final_result");
}

#[tokio::test]
async fn after_its_time_limit_nothing_starts_any_more() {
    let store = ProbeStore::new();
    let mut ctx = context(&store, slow());
    ctx.options.grace = Duration::from_millis(1);
    let flow = two_phases();
    let limits = Limits {
        wall_ms: Some(10),
        ..Limits::default()
    };
    let (id, ended) = run_started(
        &ctx,
        &flow,
        &RunStarted {
            limits,
            ..started(&flow)
        },
    )
    .await;
    ended.expect("ends");
    let events = journal(&store, &id).await;
    let failed: Vec<_> = events
        .iter()
        .filter_map(|event| event.update.as_step_failed())
        .collect();
    let kinds: Vec<_> = failed
        .iter()
        .map(|it| (it.step.as_str(), it.error.kind))
        .collect();
    assert_eq!(
        kinds,
        [
            ("ordinary", ErrorKind::BudgetExceeded),
            ("last", ErrorKind::BudgetExceeded)
        ]
    );
    assert_eq!(count(&events, "step_completed"), 0);
    terminal(&events);
}

#[tokio::test]
async fn a_long_wait_for_the_next_attempt_ends_with_the_time_limit() {
    let store = ProbeStore::new();
    let ctx = context(
        &store,
        executors(|_| {
            let failure = Failure {
                retry_after_ms: Some(3_600_000),
                ..Failure::new(ErrorKind::RateLimited, "later")
            };
            Box::pin(async { Err(StepFailure::free(failure)) })
        }),
    );
    let flow = TestFlow::all_of(vec![Step {
        retry: RetryPolicy::default(),
        ..step("a")
    }]);
    let limits = Limits {
        wall_ms: Some(20),
        ..Limits::default()
    };
    let begun = RunStarted {
        limits,
        ..started(&flow)
    };
    let driven = run_started(&ctx, &flow, &begun);
    let (id, ended) = tokio::time::timeout(Duration::from_secs(60), driven)
        .await
        .expect("not in an hour");
    ended.expect("ends");
    let events = journal(&store, &id).await;
    let failed = events
        .iter()
        .find_map(|event| event.update.as_step_failed())
        .expect("refused");
    assert_eq!(
        (failed.attempt, failed.error.kind),
        (1, ErrorKind::BudgetExceeded)
    );
    terminal(&events);
}

#[tokio::test]
async fn a_timer_fires_once_and_not_before_its_time() {
    let store = ProbeStore::new();
    let ctx = context(&store, prompt());
    let flow = TestFlow::new(|_, run| {
        let at = run.started_at.plus(Duration::from_millis(30));
        let wait = RunWait::Until {
            key: "pause".to_owned(),
            at,
        };
        if run.fired.is_empty() {
            return Decision {
                waits: vec![wait],
                ..Decision::default()
            };
        }
        if !run.is_done(&StepKey::new("after")) {
            return Decision {
                want: vec![step("after")],
                waits: vec![wait],
                ..Decision::default()
            };
        }
        let finish = Some(Outcome::Completed {
            message: "done".to_owned(),
            data: Json::empty(),
        });
        Decision {
            finish,
            ..Decision::default()
        }
    });
    let (id, ended) = run(&ctx, &flow).await;
    ended.expect("ends");
    let events = journal(&store, &id).await;
    assert_eq!(count(&events, "timer_fired"), 1, "{:?}", types(&events));
    let waited = events[1].update.timestamp.since(events[0].update.timestamp);
    assert!(waited >= Duration::from_millis(30), "{waited:?}");
}
