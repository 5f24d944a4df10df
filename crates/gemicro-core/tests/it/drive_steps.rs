//! Steps: parallel up to the limit, never twice, tried again by policy.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gemicro_core::drive::{begin, drive, resume};
use gemicro_core::execute::Executors;
use gemicro_core::flow::{Decision, Outcome, RetryPolicy, Step, StepFailure};
use gemicro_core::run::events::RunReaders;
use gemicro_event::{Charge, ErrorKind, Failure, Json, StreamId};
use tokio::sync::Barrier;

use crate::support::{
    Death, ProbeStore, TestFlow, context, count, executors, expire_lease, free_failure, journal, output, run,
    started, step, terminal, tokens_charge, types, work,
};

#[tokio::test]
async fn steps_run_in_parallel_up_to_the_limit() {
    let store = ProbeStore::new();
    // Three must meet before any goes on: fewer in parallel would never end, more would be counted.
    let barrier = Arc::new(Barrier::new(3));
    let now_running = Arc::new(AtomicUsize::new(0));
    let most = Arc::new(AtomicUsize::new(0));
    let (running, seen) = (now_running.clone(), most.clone());
    let mut ctx = context(
        &store,
        executors(move |_| {
            let (barrier, running, seen) = (barrier.clone(), running.clone(), seen.clone());
            Box::pin(async move {
                seen.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                barrier.wait().await;
                running.fetch_sub(1, Ordering::SeqCst);
                Ok(output("met"))
            })
        }),
    );
    ctx.options.max_parallel = 3;
    let flow = TestFlow::all_of((0..9).map(|idx| step(&format!("step {idx}"))).collect());
    let (id, ended) = run(&ctx, &flow).await;
    ended.expect("it ends");
    assert_eq!(most.load(Ordering::SeqCst), 3);
    assert_eq!(count(&journal(&store, &id).await, "step_completed"), 9);
}

#[tokio::test]
async fn a_step_that_was_started_is_never_started_again() {
    let store = ProbeStore::new();
    let calls = Arc::new(Mutex::new(Vec::new()));
    let seen = calls.clone();
    let ctx = context(
        &store,
        executors(move |call| {
            seen.lock().expect("no panic").push(call.step.key.to_string());
            Box::pin(async move { Ok(output("done")) })
        }),
    );
    // Wants both at every decision, each twice, whatever has happened to them.
    let flow = TestFlow::new(|state, _| {
        if state.outputs.len() == 2 {
            let finish = Some(Outcome::Completed {
                message: "done".to_owned(),
                data: Json::empty(),
            });
            return Decision {
                finish,
                ..Decision::default()
            };
        }
        Decision {
            want: vec![step("a"), step("b"), step("a"), step("b")],
            ..Decision::default()
        }
    });
    let (id, ended) = run(&ctx, &flow).await;
    ended.expect("it ends");
    let mut calls = calls.lock().expect("no panic").clone();
    calls.sort();
    assert_eq!(calls, ["a", "b"]);
    assert_eq!(count(&journal(&store, &id).await, "step_started"), 2);
}

#[tokio::test]
async fn facts_stand_in_the_same_append_as_their_step_and_what_follows_from_it() {
    let store = ProbeStore::new();
    let ctx = context(
        &store,
        executors(|call| {
            Box::pin(async move {
                match call.step.key.as_str() {
                    "bad" => Err(free_failure(ErrorKind::AuthFailed)),
                    _ => Ok(output("done")),
                }
            })
        }),
    );
    let flow = TestFlow::new(|state, run| {
        let want = ["good", "bad"]
            .iter()
            .map(|key| step(key))
            .find(|step| !run.is_done(&step.key));
        match want {
            Some(step) => Decision {
                want: vec![step],
                ..Decision::default()
            },
            None => {
                assert_eq!((state.outputs.len(), state.failures.len()), (1, 1));
                let finish = Some(Outcome::Completed {
                    message: "done".to_owned(),
                    data: Json::empty(),
                });
                Decision {
                    finish,
                    ..Decision::default()
                }
            }
        }
    });
    let (_, ended) = run(&ctx, &flow).await;
    ended.expect("it ends");
    let expected: Vec<Vec<&str>> = vec![
        vec!["run_started"],
        vec!["step_started", "work_began"],
        vec!["step_completed", "work_done", "step_started", "work_began"],
        vec!["step_failed", "work_failed", "final_result"],
    ];
    assert_eq!(store.appends(), expected);
}

/// Runs one step whose attempts end as told; gives back the whole journal's kinds.
async fn attempts(
    retry: RetryPolicy,
    ends: Vec<Option<Failure>>,
) -> (Vec<String>, Vec<gemicro_event::Event>) {
    let store = ProbeStore::new();
    let ends = Arc::new(ends);
    let ctx = context(
        &store,
        executors(move |call| {
            let end = ends[call.attempt as usize - 1].clone();
            Box::pin(async move {
                match end {
                    Some(failure) => Err(StepFailure::free(failure)),
                    None => Ok(output("done")),
                }
            })
        }),
    );
    let flow = TestFlow::all_of(vec![Step { retry, ..step("a") }]);
    let (id, ended) = run(&ctx, &flow).await;
    ended.expect("it ends");
    let events = journal(&store, &id).await;
    let kinds = types(&events)[1..events.len() - 1]
        .iter()
        .map(|kind| (*kind).to_owned())
        .collect();
    (kinds, events)
}

#[tokio::test]
async fn only_retryable_failures_are_tried_again_and_only_so_often() {
    let quick = RetryPolicy {
        max_attempts: 3,
        base_ms: 1,
        cap_ms: 2,
    };
    let failure = |kind| Some(Failure::new(kind, "scripted"));
    let first = ["step_started", "work_began"];
    let again = ["step_retrying", "step_started"];
    let cases = [
        (
            vec![None],
            [&first[..], &["step_completed", "work_done"]].concat(),
        ),
        (
            vec![failure(ErrorKind::UpstreamError), None],
            [&first[..], &again, &["step_completed", "work_done"]].concat(),
        ),
        (
            vec![
                failure(ErrorKind::RateLimited),
                failure(ErrorKind::Timeout),
                failure(ErrorKind::EmptyResult),
                None,
            ],
            [&first[..], &again, &again, &["step_failed", "work_failed"]].concat(),
        ),
        (
            vec![failure(ErrorKind::AuthFailed), None],
            [&first[..], &["step_failed", "work_failed"]].concat(),
        ),
    ];
    for (ends, expected) in cases {
        let (kinds, events) = attempts(quick, ends.clone()).await;
        assert_eq!(kinds, expected, "{ends:?}");
        if let Some(failed) = events.iter().find_map(|event| event.update.as_step_failed()) {
            assert_eq!(Some(failed.error), ends[failed.attempt as usize - 1]);
        }
    }
}

#[tokio::test]
async fn what_the_other_side_asked_for_is_honoured() {
    let quick = RetryPolicy {
        max_attempts: 2,
        base_ms: 1,
        cap_ms: 1,
    };
    let failure = Failure {
        retry_after_ms: Some(40),
        ..Failure::new(ErrorKind::RateLimited, "slow down, please")
    };
    let (_, events) = attempts(quick, vec![Some(failure), None]).await;
    let retrying = events
        .iter()
        .find(|event| event.update.event_type == "step_retrying")
        .expect("one");
    let retry_at = retrying.update.as_step_retrying().expect("its shape").retry_at;
    assert!(retry_at.since(retrying.update.timestamp) >= Duration::from_millis(40));
    let second = events
        .iter()
        .rfind(|event| event.update.event_type == "step_started")
        .expect("two");
    assert!(
        second.update.timestamp >= retry_at,
        "{} before {retry_at}",
        second.update.timestamp
    );
}

#[tokio::test]
async fn a_step_without_an_executor_and_one_that_is_late_fail_with_their_kind() {
    let store = ProbeStore::new();
    let mut ctx = context(&store, Executors::default());
    let flow = TestFlow::all_of(vec![step("a")]);
    let (id, _) = run(&ctx, &flow).await;
    check_failed(&journal(&store, &id).await, ErrorKind::Internal, Charge::ZERO);

    ctx.executors = executors(|_| Box::pin(std::future::pending()));
    ctx.options.grace = Duration::from_millis(1);
    let flow = TestFlow::all_of(vec![Step {
        timeout_ms: Some(5),
        ..work("a", 70)
    }]);
    let (id, _) = run(&ctx, &flow).await;
    // Nobody knows what a call cost that never answered: it counts at its worst case.
    check_failed(
        &journal(&store, &id).await,
        ErrorKind::Timeout,
        tokens_charge(70).as_upper_bound(),
    );
}

pub(crate) fn check_failed(events: &[gemicro_event::Event], kind: ErrorKind, charge: Charge) {
    let failed = events
        .iter()
        .find_map(|event| event.update.as_step_failed())
        .expect("it failed");
    assert_eq!((failed.error.kind, failed.charge), (kind, charge));
    assert_eq!(terminal(events).update.event_type, "final_result");
}

#[tokio::test]
async fn a_handle_is_journaled_at_once_and_given_to_the_next_attempt() {
    let first = ProbeStore::over(Default::default(), Death::After(3));
    let ctx = context(
        &first,
        executors(|call| {
            Box::pin(async move {
                call.reporter
                    .handle(Json::from(serde_json::json!({ "interaction": 7 })));
                std::future::pending().await
            })
        }),
    );
    let flow = TestFlow::all_of(vec![work("a", 30)]);
    let id = StreamId::random();
    let lease = begin(&ctx, &id, None, &started(&flow)).await.expect("begins");
    drive(&ctx, &flow, lease)
        .await
        .expect_err("the process dies after the handle is durable");
    assert_eq!(count(&journal(&first, &id).await, "step_handle"), 1);

    let second = ProbeStore::over(first.inner.clone(), Death::Never);
    let ctx = context(
        &second,
        executors(|call| {
            Box::pin(async move {
                assert_eq!(call.attempt, 2);
                let handle = call.handle.map(|handle| handle.text().to_owned());
                Ok(output(&handle.unwrap_or_default()))
            })
        }),
    );
    expire_lease(&first, &id).await;
    let lease = resume(&ctx, &flow, &id).await.expect("resumes");
    drive(&ctx, &flow, lease).await.expect("ends");
    let events = journal(&second, &id).await;
    let lost = events
        .iter()
        .find_map(|event| event.update.as_step_lost())
        .expect("attempt 1 was lost");
    assert_eq!((lost.attempt, lost.charge, lost.kept), (1, Charge::ZERO, true));
    let completed = events
        .iter()
        .find_map(|event| event.update.as_step_completed())
        .expect("completed");
    assert_eq!(completed.output.text(), r#""{\"interaction\":7}""#);
}
