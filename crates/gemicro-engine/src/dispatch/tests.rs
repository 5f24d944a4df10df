//! A step whose worker falls silent, with a driver that knows nothing of it any more.

use std::sync::Arc;
use std::time::Duration;

use gemicro_core::budget::Purpose;
use gemicro_core::execute::{Answers, Executor, Spoken, StepCall, StepReporter};
use gemicro_core::flow::{Again, RetryPolicy, Step};
use gemicro_core::live::LiveHub;
use gemicro_core::queue::{Claim, ClaimedStep, News, Settlement, StepQueue};
use gemicro_core::store::NewEvent;
use gemicro_event::{AgentUpdate, Charge, ErrorKind, Json, StepKey, StreamId, Timestamp};
use gemicro_store::DurableStore;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{QueuedSteps, StepReported, StepWord};

fn call(run: &StreamId, attempt: u32, handle: Option<Json>) -> StepCall {
    let (reporter, mut spoken) = StepReporter::channel();
    tokio::spawn(async move {
        while let Some(Spoken { noted, .. }) = spoken.recv().await {
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
        answers: Answers::channel().1,
    }
}

/// Takes the step as soon as it is there, for so long.
async fn taken(store: &DurableStore, ttl: Duration) -> ClaimedStep {
    loop {
        let claim = Claim {
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

#[tokio::test]
async fn a_silent_worker_is_known_to_whoever_drives_next() {
    let (_folder, store) = store().await;
    let run = StreamId::random();
    let first = tokio::spawn(QueuedSteps::new(store.clone()).execute(call(&run, 1, None)));
    taken(&store, Duration::ZERO).await;
    // Whoever looks into the queue next finds the worker silent.
    let claim = Claim {
        worker: "x".to_owned(),
        kinds: Vec::new(),
        max_steps: 1,
        ttl: Duration::ZERO,
    };
    while !first.is_finished() {
        store.claim(claim.clone()).await.expect("looked");
        tokio::task::yield_now().await;
    }
    let told = first.await.expect("joined").expect_err("cut off");
    assert_eq!(told.again, Again::CutOff);
    // A driver that begins afresh must not take the silence for work.
    let told = QueuedSteps::new(store.clone())
        .execute(call(&run, 2, queued(1)))
        .await;
    assert_eq!(
        told.expect_err("nothing to pick up").failure.kind,
        ErrorKind::SessionNotFound
    );
    let third = tokio::spawn(QueuedSteps::new(store.clone()).execute(call(&run, 3, None)));
    let claimed = taken(&store, Duration::from_secs(60)).await;
    assert_eq!(claimed.lease.attempt, 3);
    let output = json!({ "output": { "stdout": "x" }, "charge": Charge::ZERO, "usage": null });
    let reported = StepReported {
        step: claimed.lease.step.clone(),
        attempt: 3,
        said: StepWord::Done(Json::from(output)),
    };
    let settlement = Settlement {
        news: News::Completed,
        events: vec![NewEvent::of_run(AgentUpdate::new(&reported, Timestamp::now()))],
        lease: claimed.lease,
    };
    store
        .settle(vec![settlement])
        .await
        .pop()
        .expect("an answer")
        .expect("settled");
    let done = third.await.expect("joined").expect("done");
    assert_eq!(done.output["stdout"], "x");
    // It is done for every driver that comes after.
    let again = QueuedSteps::new(store.clone())
        .execute(call(&run, 4, queued(3)))
        .await;
    assert_eq!(again.expect("the same").output["stdout"], "x");
    store.close().await;
}
