//! One driver at a time: leases, epochs, foreign appends, and runs of another program.

use std::sync::Arc;
use std::time::Duration;

use gemicro_core::drive::{DriveContext, DriveError, begin, drive, resume};
use gemicro_core::run::events::RunStarted;
use gemicro_core::store::{Append, NewEvent, Store, StoreError, Writer};
use gemicro_event::{AgentUpdate, ErrorKind, Failure, Json, StepKey, StreamId, Timestamp};

use crate::support::{
    ProbeStore, TestFlow, context, count, executors, journal, output, prompt, run, started, step, terminal,
    types, until,
};

fn flow() -> TestFlow {
    TestFlow::all_of(vec![step("a"), step("b")])
}

async fn left_alone(flow_of_run: &TestFlow, mine: &TestFlow, started: &RunStarted) -> DriveError {
    let store = ProbeStore::new();
    let ctx = context(&store, prompt());
    let id = StreamId::random();
    let lease = begin(&ctx, &id, None, started).await.expect("begins");
    store
        .release_lease(lease.lease())
        .await
        .expect("the other program is gone");
    let error = resume(&ctx, mine, &id).await.expect_err("not ours");
    assert_eq!(
        types(&journal(&store, &id).await),
        ["run_started"],
        "no event is written"
    );
    // Not even the lease was taken: the program that can read it goes on.
    let other = context(&store, prompt());
    let lease = resume(&other, flow_of_run, &id)
        .await
        .expect("its own program can");
    assert_eq!(lease.lease().epoch, 2);
    error
}

#[tokio::test]
async fn a_run_of_a_newer_flow_is_left_untouched() {
    let newer = TestFlow { version: 9, ..flow() };
    let begun = RunStarted {
        program: "gemicro 9.0".to_owned(),
        ..started(&newer)
    };
    let error = left_alone(&newer, &flow(), &begun).await;
    assert!(
        matches!(
            error,
            DriveError::NewerFlow {
                found: 9,
                known: 1,
                ..
            }
        ),
        "{error}"
    );
    assert!(
        error.to_string().contains("gemicro 9.0"),
        "it names the program that can: {error}"
    );
    assert_eq!(Failure::from(error).kind, ErrorKind::Interrupted);
}

#[tokio::test]
async fn a_run_of_another_flow_and_an_unknown_run_are_refused() {
    let store = ProbeStore::new();
    let ctx = context(&store, prompt());
    let other = RunStarted {
        flow: "pipeline".to_owned(),
        ..started(&flow())
    };
    let id = StreamId::random();
    begin(&ctx, &id, None, &other).await.expect("begins");
    let error = resume(&ctx, &flow(), &id).await.expect_err("another flow");
    assert!(matches!(error, DriveError::NotThisFlow { .. }), "{error}");
    let error = resume(&ctx, &flow(), &StreamId::random())
        .await
        .expect_err("no such run");
    assert_eq!(Failure::from(error).kind, ErrorKind::NotFound);
    assert_eq!(types(&journal(&store, &id).await), ["run_started"]);
}

#[tokio::test]
async fn an_ended_run_is_not_driven_again() {
    let store = ProbeStore::new();
    let ctx = context(&store, prompt());
    let (id, ended) = run(&ctx, &flow()).await;
    ended.expect("ends");
    let before = journal(&store, &id).await;
    let error = resume(&ctx, &flow(), &id).await.expect_err("it has ended");
    assert_eq!(error, StoreError::Ended { stream: id.clone() }.into());
    assert_eq!(journal(&store, &id).await, before);
}

#[tokio::test]
async fn what_another_user_appended_is_folded_before_going_on() {
    let store = ProbeStore::new();
    let ctx = context(
        &store,
        executors(|call| {
            Box::pin(async move {
                // Runs until the intruder has spoken, so that its attempt is the running one.
                tokio::task::yield_now().await;
                Ok(output(call.step.key.as_str()))
            })
        }),
    );
    let id = StreamId::random();
    let stream = id.clone();
    // An executor of another worker states a fact right before the driver's third append.
    store.set_intruder(move |number| {
        (number == 3).then(|| Append {
            stream: stream.clone(),
            writer: Writer::Executor {
                step: StepKey::new("a"),
                attempt: 1,
            },
            events: vec![NewEvent::of_run(AgentUpdate {
                event_type: "work_seen_elsewhere".to_owned(),
                message: "seen".to_owned(),
                timestamp: Timestamp::now(),
                data: Json::empty(),
            })],
            board: Vec::new(),
        })
    });
    let lease = begin(&ctx, &id, None, &started(&flow())).await.expect("begins");
    drive(&ctx, &flow(), lease).await.expect("ends");
    let events = journal(&store, &id).await;
    assert_eq!(count(&events, "work_seen_elsewhere"), 1);
    assert_eq!(count(&events, "step_completed"), 2);
    assert!(
        events
            .iter()
            .enumerate()
            .all(|(idx, event)| event.seq == idx as u64 + 1),
        "no gap, nothing twice"
    );
    terminal(&events);
}

/// A run whose one step hangs, driven in a task with a short lease.
async fn hanging(ttl: Duration) -> (Arc<ProbeStore>, StreamId, tokio::task::JoinHandle<DriveError>) {
    let store = ProbeStore::new();
    let mut ctx = context(&store, executors(|_| Box::pin(std::future::pending())));
    ctx.options.lease_ttl = ttl;
    let id = StreamId::random();
    let lease = begin(&ctx, &id, None, &started(&flow())).await.expect("begins");
    let driving =
        tokio::spawn(async move { drive(&ctx, &flow(), lease).await.expect_err("it is taken over") });
    until(&store, &id, |events| count(events, "step_started") == 2).await;
    (store, id, driving)
}

#[tokio::test]
async fn a_driver_that_lost_its_lease_stops_at_once_and_writes_nothing() {
    let (store, id, driving) = hanging(Duration::from_millis(30)).await;
    // A woken laptop: somebody takes the lease while the first driver believes in it. Under its own name, so
    // that no waiting is needed; the epoch is what counts.
    let ttl = Duration::from_secs(60);
    let taken = match store.inner.take_lease(&id, "thief", ttl).await {
        Err(StoreError::LeaseHeld { owner, .. }) => store.inner.take_lease(&id, &owner, ttl).await,
        other => other,
    };
    assert!(taken.expect("taken").epoch >= 2);
    let before = journal(&store, &id).await;
    let error = driving.await.expect("no panic");
    assert_eq!(error, StoreError::LeaseLost { stream: id.clone() }.into());
    assert_eq!(Failure::from(error).kind, ErrorKind::Conflict);
    assert_eq!(journal(&store, &id).await, before, "not a word more");
}

#[tokio::test]
async fn a_result_that_comes_after_the_takeover_is_not_written() {
    let store = ProbeStore::new();
    let gate = Arc::new(tokio::sync::Notify::new());
    let opened = gate.clone();
    let mut ctx = context(
        &store,
        executors(move |_| {
            let gate = gate.clone();
            Box::pin(async move {
                gate.notified().await;
                Ok(output("too late"))
            })
        }),
    );
    // No heartbeat and no command comes in between: the append itself is refused.
    ctx.options.lease_ttl = Duration::from_secs(3_600);
    ctx.options.command_poll = Duration::from_secs(3_600);
    let owner = ctx.options.owner.clone();
    let id = StreamId::random();
    let lease = begin(&ctx, &id, None, &started(&flow())).await.expect("begins");
    let driving = tokio::spawn(async move { drive(&ctx, &flow(), lease).await });
    until(&store, &id, |events| count(events, "step_started") == 2).await;
    let before = journal(&store, &id).await;
    store
        .inner
        .take_lease(&id, &owner, Duration::ZERO)
        .await
        .expect("taken over");
    opened.notify_one();
    let error = driving.await.expect("no panic").expect_err("fenced");
    assert_eq!(error, StoreError::LeaseLost { stream: id.clone() }.into());
    assert_eq!(journal(&store, &id).await, before);
}

#[tokio::test]
async fn a_run_that_is_being_driven_is_not_resumed() {
    let (store, id, driving) = hanging(Duration::from_secs(60)).await;
    let other = context(&store, prompt());
    let error = resume(&other, &flow(), &id).await.expect_err("held");
    assert!(
        matches!(error, DriveError::Store(StoreError::LeaseHeld { .. })),
        "{error}"
    );
    assert_eq!(Failure::from(error).kind, ErrorKind::Conflict);
    driving.abort();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_resumes_at_once_one_wins() {
    for _ in 0..50 {
        let store = ProbeStore::new();
        let dead = context(&store, prompt());
        let id = StreamId::random();
        let lease = begin(&dead, &id, None, &started(&flow())).await.expect("begins");
        store
            .release_lease(lease.lease())
            .await
            .expect("its process is gone");
        let both: Vec<DriveContext> = (0..2).map(|_| context(&store, prompt())).collect();
        let tasks = both.into_iter().map(|ctx| {
            let id = id.clone();
            tokio::spawn(async move {
                let lease = resume(&ctx, &flow(), &id).await?;
                drive(&ctx, &flow(), lease).await
            })
        });
        let mut n_won = 0;
        for task in tasks.collect::<Vec<_>>() {
            match task.await.expect("no panic") {
                Ok(_) => n_won += 1,
                Err(DriveError::Store(error)) => {
                    let expected = matches!(error, StoreError::LeaseHeld { .. } | StoreError::Ended { .. });
                    assert!(expected, "{error}");
                }
                Err(error) => panic!("{error}"),
            }
        }
        assert_eq!(n_won, 1);
        let events = journal(&store, &id).await;
        assert_eq!(
            (count(&events, "run_resumed"), count(&events, "step_completed")),
            (1, 2)
        );
        terminal(&events);
    }
}
