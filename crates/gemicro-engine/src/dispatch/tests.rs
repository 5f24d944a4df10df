//! Steps whose drivers and workers die; `schedules` has random orders of it.

mod schedules;
#[expect(dead_code, reason = "the tests of the store use more of it")]
#[path = "../../../gemicro-store/tests/it/server.rs"]
mod server;

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use gemicro_core::budget::Purpose;
use gemicro_core::execute::{AttemptNotice, Executor, Executors, RunAnswers, StepCall, StepReporter};
use gemicro_core::flow::{Again, RetryPolicy, Step, StepFailure, StepOutput};
use gemicro_core::live::LiveHub;
use gemicro_core::queue::{ClaimRequest, ClaimedStep, StepQueue, WorkerNews};
use gemicro_core::store::NewEvent;
use gemicro_event::{AgentUpdate, Charge, ErrorKind, Json, StepKey, StreamId, Timestamp};
use gemicro_store::DurableStore;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{QueuedSteps, StepReported, StepWord};

/// Says of a kind of step only whether it may begin again.
struct MayBeginAgain(bool);

impl Executor for MayBeginAgain {
    fn execute(&self, _: StepCall) -> BoxFuture<'static, Result<StepOutput, StepFailure>> {
        unreachable!("the tests are the workers")
    }

    fn may_begin_again(&self, _: &Step) -> bool {
        self.0
    }
}

fn driver(store: &Arc<DurableStore>, may_begin_again: bool) -> QueuedSteps {
    let executors = Executors::default().with("shell", Arc::new(MayBeginAgain(may_begin_again)));
    QueuedSteps::new(store.clone(), executors)
}

fn call(run: &StreamId, attempt: u32, handle: Option<Json>) -> StepCall {
    let (reporter, mut spoken) = StepReporter::channel();
    tokio::spawn(async move {
        while let Some(AttemptNotice { noted, .. }) = spoken.recv().await {
            if let Some(noted) = noted {
                let _ = noted.send(());
            }
        }
    });
    let step = Step {
        key: StepKey::new("s"),
        kind: "shell".to_owned(),
        input: Json::from(json!({})),
        cost: Charge::ZERO,
        purpose: Purpose::Ordinary,
        retry: RetryPolicy::default(),
        timeout_ms: None,
    };
    StepCall {
        run: run.clone(),
        live: LiveHub::new().writer(&step.key, attempt),
        step,
        attempt,
        handle,
        reporter,
        cancel: CancellationToken::new(),
        answers: RunAnswers::channel().1,
    }
}

/// Takes the step as soon as it is there, for so long.
async fn taken(store: &DurableStore, ttl: Duration) -> ClaimedStep {
    loop {
        let claim = ClaimRequest {
            worker: "w".to_owned(),
            kinds: vec!["shell".to_owned()],
            max_steps: 1,
            ttl,
        };
        if let Some(claimed) = store.claim(claim).await.expect("claimed").pop() {
            return claimed;
        }
        tokio::task::yield_now().await;
    }
}

fn queued(attempt: u32) -> Option<Json> {
    Some(Json::from(json!({ "queued": attempt })))
}

async fn store() -> (tempfile::TempDir, Arc<DurableStore>) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = DurableStore::open(&folder.path().join("home"))
        .await
        .expect("opened");
    (folder, Arc::new(store))
}

/// Looks into the queue until this is over: whoever looks finds a silent worker.
async fn look_until_finished<T>(store: &DurableStore, task: tokio::task::JoinHandle<T>) -> T {
    let claim = ClaimRequest {
        worker: "x".to_owned(),
        kinds: Vec::new(),
        max_steps: 1,
        ttl: Duration::ZERO,
    };
    while !task.is_finished() {
        store.claim(claim.clone()).await.expect("looked");
        tokio::task::yield_now().await;
    }
    task.await.expect("joined")
}

async fn say(store: &DurableStore, claimed: &ClaimedStep, news: WorkerNews, said: StepWord) {
    let reported = StepReported {
        step: claimed.lease.step.clone(),
        attempt: claimed.lease.attempt,
        said,
    };
    let events = vec![NewEvent::of_run(AgentUpdate::new(&reported, Timestamp::now()))];
    let settled = store.settle_one(&claimed.lease, news, events).await;
    settled.expect("settled");
}

fn done() -> StepWord {
    let output = json!({ "output": { "stdout": "x" }, "charge": Charge::ZERO, "usage": null });
    StepWord::Done(Json::from(output))
}

#[tokio::test]
async fn a_silent_worker_is_known_to_whoever_drives_next() {
    let (_folder, store) = store().await;
    let run = StreamId::random();
    let first = tokio::spawn(driver(&store, true).execute(call(&run, 1, None)));
    taken(&store, Duration::ZERO).await;
    let outcome = look_until_finished(&store, first).await.expect_err("cut off");
    assert_eq!(outcome.again, Again::CutOff);
    // A driver that begins afresh must not take the silence for work.
    let outcome = driver(&store, true).execute(call(&run, 2, queued(1))).await;
    assert_eq!(
        outcome.expect_err("nothing to pick up").failure.kind,
        ErrorKind::SessionNotFound
    );
    let third = tokio::spawn(driver(&store, true).execute(call(&run, 3, None)));
    let claimed = taken(&store, Duration::from_secs(60)).await;
    assert_eq!(claimed.lease.attempt, 3);
    say(&store, &claimed, WorkerNews::Completed, done()).await;
    let done = third.await.expect("joined").expect("done");
    assert_eq!(done.output["stdout"], "x");
    // It is done for every driver that comes after.
    let again = driver(&store, true).execute(call(&run, 4, queued(3))).await;
    assert_eq!(again.expect("the same").output["stdout"], "x");
    store.close().await;
}

#[tokio::test]
async fn a_command_that_was_taken_once_begins_no_second_time() {
    let (_folder, store) = store().await;
    let run = StreamId::random();
    // One worker begins it and dies, the next takes what is left of it and dies before a word.
    let first = tokio::spawn(driver(&store, false).execute(call(&run, 1, None)));
    let claimed = taken(&store, Duration::ZERO).await;
    say(
        &store,
        &claimed,
        WorkerNews::Working,
        StepWord::Handle(Json::from(json!({ "pid": 7 }))),
    )
    .await;
    look_until_finished(&store, first).await.expect_err("cut off");
    let second = tokio::spawn(driver(&store, false).execute(call(&run, 2, queued(1))));
    let claimed = taken(&store, Duration::ZERO).await;
    let had = claimed.data.get("handle").map(|handle| handle["pid"] == 7);
    assert_eq!((claimed.lease.attempt, had), (2, Some(true)));
    look_until_finished(&store, second).await.expect_err("cut off");
    // Whoever comes then still knows of the first.
    let third = tokio::spawn(driver(&store, false).execute(call(&run, 3, queued(2))));
    let claimed = taken(&store, Duration::from_secs(60)).await;
    let had = claimed.data.get("handle").map(|handle| handle["pid"] == 7);
    assert_eq!((claimed.lease.attempt, had), (3, Some(true)));
    third.abort();
    store.close().await;
}

#[tokio::test]
async fn a_worker_that_left_is_heard_once() {
    let (_folder, store) = store().await;
    let run = StreamId::random();
    let first = tokio::spawn(driver(&store, true).execute(call(&run, 1, None)));
    let claimed = taken(&store, Duration::from_secs(60)).await;
    let left = StepWord::Failed {
        error: gemicro_event::Failure::new(ErrorKind::Interrupted, "its worker shut down"),
        charge: Some(Charge::ZERO),
        again: Again::CutOff,
        not_begun: true,
    };
    let reason = gemicro_event::Failure::new(ErrorKind::Interrupted, "its worker shut down");
    say(&store, &claimed, WorkerNews::Failed { reason }, left).await;
    let outcome = first.await.expect("joined").expect_err("cut off");
    assert_eq!(outcome.again, Again::CutOff);
    // The next attempt is one of its own.
    let second = tokio::spawn(driver(&store, true).execute(call(&run, 2, queued(1))));
    let claimed = taken(&store, Duration::from_secs(60)).await;
    assert_eq!(claimed.lease.attempt, 2);
    say(&store, &claimed, WorkerNews::Completed, done()).await;
    second.await.expect("joined").expect("done");
    store.close().await;
}

#[tokio::test]
async fn a_step_that_was_cancelled_in_the_queue_is_not_waited_for() {
    let (_folder, store) = store().await;
    let run = StreamId::random();
    let first = call(&run, 1, None);
    let cancel = first.cancel.clone();
    let first = tokio::spawn(driver(&store, false).execute(first));
    while store.counts(None).await.expect("counted").ready == 0 {
        tokio::task::yield_now().await;
    }
    cancel.cancel();
    let outcome = first.await.expect("joined").expect_err("cancelled");
    assert_eq!(outcome.failure.kind, ErrorKind::Cancelled);
    // Its driver died before it could say so; nobody had taken it.
    let second = tokio::spawn(driver(&store, false).execute(call(&run, 2, queued(1))));
    let claimed = taken(&store, Duration::from_secs(60)).await;
    assert_eq!(claimed.lease.attempt, 2);
    second.abort();
    store.close().await;
}
