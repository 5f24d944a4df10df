//! Batches under the real driver.

use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use gemicro_batch::contract::{BatchStatus, ItemState};
use gemicro_batch::flow::{BatchFlow, BatchReaders, board};
use gemicro_core::drive::{DriveContext, DriveEnd, DriveOptions, Hold, StopSignals, begin, drive, resume};
use gemicro_core::execute::{Executor, Executors, StepCall};
use gemicro_core::flow::{StepFailure, StepOutput};
use gemicro_core::live::LiveHub;
use gemicro_core::run::events::RunStarted;
use gemicro_core::store::MemoryStore;
use gemicro_event::{Charge, ErrorKind, Event, Failure, Json, StreamId, Timestamp};
use serde_json::{Value, json};

use crate::proposals::started;
use crate::support::{planned, prompt, said};

struct Scripted<F>(F);

impl<F> Executor for Scripted<F>
where
    F: Fn(StepCall) -> BoxFuture<'static, Result<Value, ErrorKind>> + Send + Sync,
{
    fn execute(&self, call: StepCall) -> BoxFuture<'static, Result<StepOutput, StepFailure>> {
        let answer = (self.0)(call);
        Box::pin(async move {
            match answer.await {
                Ok(output) => Ok(StepOutput {
                    output: Json::from(output),
                    charge: Charge::ZERO,
                    usage: None,
                }),
                Err(kind) => Err(StepFailure::free(Failure::new(kind, "it failed"))),
            }
        })
    }
}

/// Drives a batch to its end and gives back its journal.
async fn driven<F>(batch: &Value, stop: StopSignals, answer: F) -> Vec<Event>
where
    F: Fn(StepCall) -> BoxFuture<'static, Result<Value, ErrorKind>> + Send + Sync + 'static,
{
    let ctx = context(stop, answer);
    let (run, hold) = begun(&ctx, batch).await;
    drive(&ctx, &BatchFlow, hold).await.unwrap();
    ctx.store.read(&run, 0, 100_000).await.unwrap().events
}

fn context<F>(stop: StopSignals, answer: F) -> DriveContext
where
    F: Fn(StepCall) -> BoxFuture<'static, Result<Value, ErrorKind>> + Send + Sync + 'static,
{
    let executor: Arc<dyn Executor> = Arc::new(Scripted(answer));
    let executors = ["llm", "shell", "memory_search"]
        .into_iter()
        .fold(Executors::default(), |all, kind| all.with(kind, executor.clone()));
    DriveContext {
        store: Arc::new(MemoryStore::default()),
        executors,
        live: LiveHub::default(),
        stop,
        options: DriveOptions::default(),
    }
}

async fn begun(ctx: &DriveContext, batch: &Value) -> (StreamId, Hold) {
    let started = RunStarted {
        resident: true,
        ..started(&BatchFlow, &planned(batch))
    };
    let run = StreamId::random();
    let hold = begin(ctx, &run, None, &started).await.unwrap();
    (run, hold)
}

#[tokio::test]
async fn a_batch_is_driven_to_its_end() {
    let batch = json!([
        prompt("a", &[]),
        { "task_id": "b", "type": "prompt", "parameters": { "prompt": "then ${a.output.text}" } },
        { "task_id": "bad", "type": "prompt", "parameters": { "prompt": "bad" } },
        prompt("after", &["bad"]),
        { "task_id": "ls", "type": "execute_shell_command", "parameters": { "command": "ls", "description": "List" } },
        { "task_id": "odd", "type": "pipeline", "parameters": {} },
    ]);
    let events = driven(&batch, StopSignals::default(), |call| {
        Box::pin(async move {
            match call.step.input.get("prompt").and_then(Value::as_str) {
                Some("bad") => Err(ErrorKind::Blocked),
                Some(prompt) => Ok(said(&format!("[{prompt}]"))),
                None => Ok(json!({ "stdout": "x\n", "stderr": "", "exit_code": 3, "tier": "full" })),
            }
        })
    })
    .await;
    let answer = board(&events).unwrap().answer("r", Timestamp::now());
    assert_eq!(
        (answer.status, answer.next_poll_interval_seconds),
        (BatchStatus::Completed, 0)
    );
    let shown: Vec<(&str, ItemState, &str)> = answer
        .results
        .iter()
        .map(|it| (it.task_id.as_str(), it.state, it.output.text()))
        .collect();
    let expected = [
        ("a", ItemState::Completed, r#"{"text":"[a]"}"#),
        ("b", ItemState::Completed, r#"{"text":"[then [a]]"}"#),
        ("bad", ItemState::Failed, "{}"),
        ("after", ItemState::Skipped, "{}"),
        (
            "ls",
            ItemState::Completed,
            r#"{"stdout":"x\n","stderr":"","exit_code":3,"tier":"full"}"#,
        ),
        ("odd", ItemState::Rejected, "{}"),
    ];
    assert_eq!(shown, expected);
    let started = events
        .iter()
        .filter_map(|event| event.update.as_batch_item_started());
    let described: Vec<String> = started.filter_map(|it| it.description).collect();
    assert_eq!(described, ["List"], "what a command is for stands in the journal");
    let last = events.last().unwrap();
    assert_eq!(last.update.message, "3 of 6 tasks completed");
}

#[tokio::test]
async fn what_may_pass_is_tried_again_and_seen_once() {
    let calls = Arc::new(Mutex::new(0));
    let seen = calls.clone();
    let events = driven(&json!([prompt("a", &[])]), StopSignals::default(), move |_| {
        let seen = seen.clone();
        Box::pin(async move {
            let mut calls = seen.lock().unwrap();
            *calls += 1;
            match *calls {
                1 => Err(ErrorKind::UpstreamError),
                _ => Ok(said("x")),
            }
        })
    })
    .await;
    assert_eq!(*calls.lock().unwrap(), 2);
    let n_started = events
        .iter()
        .filter(|it| it.update.event_type == "batch_item_started")
        .count();
    assert_eq!(n_started, 1);
    assert_eq!(board(&events).unwrap().counts().completed, 1);
}

#[tokio::test]
async fn a_deadline_stops_what_runs() {
    let mut slow = prompt("slow", &[]);
    slow["deadline_seconds"] = json!(1);
    let events = driven(
        &json!([slow, prompt("quick", &[])]),
        StopSignals::default(),
        |call| {
            Box::pin(async move {
                if call.step.key.as_str() == "slow" {
                    call.cancel.cancelled().await;
                    return Err(ErrorKind::Cancelled);
                }
                Ok(said("x"))
            })
        },
    )
    .await;
    let board = board(&events).unwrap();
    assert_eq!(board.state_of("slow"), Some(ItemState::Expired));
    assert_eq!(board.state_of("quick"), Some(ItemState::Completed));
}

#[tokio::test]
async fn a_cancelled_batch_leaves_nothing_open() {
    let stop = StopSignals::default();
    let cancel = stop.cancel.clone();
    let events = driven(
        &json!([prompt("a", &[]), prompt("b", &["a"])]),
        stop,
        move |call| {
            let cancel = cancel.clone();
            Box::pin(async move {
                cancel.cancel();
                call.cancel.cancelled().await;
                Err(ErrorKind::Cancelled)
            })
        },
    )
    .await;
    let board = board(&events).unwrap();
    assert_eq!((board.counts().open(), board.counts().cancelled), (0, 2));
    assert_eq!(events.last().unwrap().update.event_type, "run_cancelled");
}

#[tokio::test]
async fn a_suspended_batch_continues_where_it_was() {
    let calls = Arc::new(Mutex::new(Vec::new()));
    let stop = StopSignals::default();
    let (seen, suspend) = (calls.clone(), stop.suspend.clone());
    let ctx = context(stop, move |call| {
        let (seen, suspend) = (seen.clone(), suspend.clone());
        Box::pin(async move {
            let key = call.step.key.to_string();
            seen.lock().unwrap().push(key.clone());
            if key == "b" && !suspend.is_cancelled() {
                suspend.cancel();
                call.cancel.cancelled().await;
                return Err(ErrorKind::Cancelled);
            }
            Ok(said(&key))
        })
    });
    let batch = json!([prompt("a", &[]), prompt("b", &["a"]), prompt("c", &["b"])]);
    let (run, hold) = begun(&ctx, &batch).await;
    assert_eq!(drive(&ctx, &BatchFlow, hold).await, Ok(DriveEnd::Suspended));
    let events = ctx.store.read(&run, 0, 1_000).await.unwrap().events;
    let cut = board(&events).unwrap();
    assert_eq!(
        (cut.state_of("a"), cut.state_of("b")),
        (Some(ItemState::Completed), Some(ItemState::Queued))
    );
    let ctx = DriveContext {
        stop: StopSignals::default(),
        ..ctx
    };
    let hold = resume(&ctx, &BatchFlow, &run).await.unwrap();
    drive(&ctx, &BatchFlow, hold).await.unwrap();
    assert_eq!(
        *calls.lock().unwrap(),
        ["a", "b", "b", "c"],
        "what completed is not done again"
    );
    let events = ctx.store.read(&run, 0, 1_000).await.unwrap().events;
    assert_eq!(board(&events).unwrap().counts().completed, 3);
}
