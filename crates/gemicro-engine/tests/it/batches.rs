//! Batches over the engine: handed in, polled, cancelled, retried; the board beside the journal.

use std::sync::Arc;
use std::time::Duration;

use gemicro_core::budget::Limits;
use gemicro_core::drive::StopSignals;
use gemicro_core::llm::LlmConfig;
use gemicro_core::llm::scripted::{Part, ScriptedModel};
use gemicro_engine::{
    BatchAnswer, BatchRequest, BatchSettings, BatchStatus, Batches, BoardPage, Engine, ItemState,
    LocalRunService, Plan, PromptRequest, Request, RunFilter, RunService, read_batch, rebuild_boards,
};
use gemicro_event::{ErrorKind, StreamId};
use serde_json::{Value, json};

use crate::support::{Place, engine_asking};

async fn world(place: &Place, part: Part) -> (Engine, Batches) {
    let model = ScriptedModel::new(part);
    let engine = engine_asking(place.path(), "the test", Arc::new(model)).await;
    let batches = Batches::new(Arc::new(LocalRunService::new(engine.clone())));
    (engine, batches)
}

fn request(place: &Place, batch: &Value) -> BatchRequest {
    BatchRequest {
        batch: read_batch(batch.to_string().as_bytes()).expect("a good batch"),
        settings: BatchSettings {
            llm: LlmConfig::default(),
            directory: place.path().display().to_string(),
            agent_idle_ms: 60_000,
            agent_total_ms: 60_000,
            coverage_reports: Vec::new(),
        },
        limits: Limits::NONE,
    }
}

fn prompt(task_id: &str, prompt: &str) -> Value {
    json!({ "task_id": task_id, "type": "prompt", "parameters": { "prompt": prompt } })
}

fn states(answer: &BatchAnswer) -> Vec<(&str, ItemState)> {
    let items = answer.results.iter();
    items.map(|item| (item.task_id.as_str(), item.state)).collect()
}

#[tokio::test]
async fn a_batch_is_answered_at_once_and_polled_to_its_end() {
    let place = Place::new();
    let (engine, batches) = world(&place, Part::Echo).await;
    let batch = json!([
        prompt("a", "one"),
        prompt("b", "${a.output.text} and two"),
        { "task_id": "odd", "type": "query_weather", "parameters": { "scope": "all" } },
    ]);
    let first = batches.submit(request(&place, &batch)).await.expect("taken");
    assert_eq!(first.results.len(), 3);
    assert_eq!(first.results[2].state, ItemState::Rejected);
    let last = batches
        .wait(&first.response_id, None, BoardPage::ALL)
        .await
        .expect("it ends");
    assert_eq!(
        (last.status, last.next_poll_interval_seconds),
        (BatchStatus::Completed, 0)
    );
    let expected = [
        ("a", ItemState::Completed),
        ("b", ItemState::Completed),
        ("odd", ItemState::Rejected),
    ];
    assert_eq!(states(&last), expected);
    assert_eq!(
        last.results[1].output.get("text").and_then(Value::as_str),
        Some("one and two")
    );
    // What the board shows is what the journal makes.
    let run = StreamId::new(first.response_id.clone()).expect("an id");
    let shown = engine.store().board(&run).await.expect("a board");
    assert_eq!(rebuild_boards(engine.store()).await, Ok(1));
    let made = engine.store().board(&run).await.expect("a board");
    assert_eq!(shown.shown, made.shown);
    assert!(!shown.tallies.is_empty());
    assert_eq!(
        batches
            .poll(&first.response_id, BoardPage::ALL)
            .await
            .expect("polled"),
        last
    );
    for (offset, limit, expected) in [
        (0, 0, 0..0),
        (0, 2, 0..2),
        (1, 2, 1..3),
        (2, 9, 2..3),
        (7, 9, 3..3),
    ] {
        let page = BoardPage { offset, limit };
        let part = batches.poll(&first.response_id, page).await.expect("polled");
        assert_eq!(part.results.to_vec(), last.results[expected].to_vec(), "{page:?}");
        assert_eq!((part.counts, part.status), (last.counts, last.status));
    }
    // An erased batch has no board, and is no reason not to make the others.
    engine.store().erase(&run).await.expect("erased");
    assert_eq!(rebuild_boards(engine.store()).await, Ok(0));
}

#[tokio::test]
async fn what_is_executed_is_what_was_handed_in_and_links_lead_nowhere() {
    let place = Place::new();
    let (_, batches) = world(&place, Part::Echo).await;
    let outside = Place::new();
    std::os::unix::fs::symlink(outside.path().join("docs"), place.path().join("planted")).expect("linked");
    let token = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let batch = json!([
        { "task_id": "rm", "type": "execute_shell_command", "parameters": { "command": format!("rm keep/{token}") } },
        { "task_id": "read", "type": "research", "parameters": { "question": "Which crossing?", "sources": ["planted"], "offline": true } },
    ]);
    let first = batches.submit(request(&place, &batch)).await.expect("taken");
    let last = batches
        .wait(&first.response_id, None, BoardPage::ALL)
        .await
        .expect("it ends");
    assert_eq!(
        states(&last),
        [("rm", ItemState::Rejected), ("read", ItemState::Failed)]
    );
    assert_eq!(last.results[1].error_kind, Some(ErrorKind::PermissionDenied));
    let named = json!([prompt(token, "one")]);
    let refused = batches
        .submit(request(&place, &named))
        .await
        .expect_err("a token as a name");
    assert_eq!(refused.kind, ErrorKind::InvalidInput);
    assert!(!refused.message.contains(token), "{refused}");
}

#[tokio::test]
async fn a_key_stands_for_one_batch() {
    let place = Place::new();
    let (engine, batches) = world(&place, Part::Echo).await;
    let batch = json!({ "key": "nightly", "tasks": [prompt("a", "one")] });
    let first = batches.submit(request(&place, &batch)).await.expect("taken");
    let again = batches.submit(request(&place, &batch)).await.expect("the same");
    assert_eq!(first.response_id, again.response_id);
    let other = json!({ "key": "nightly", "tasks": [prompt("a", "two")] });
    let refused = batches
        .submit(request(&place, &other))
        .await
        .expect_err("another body");
    assert_eq!(refused.kind, ErrorKind::Conflict);
    let runs = engine.store().runs(&RunFilter::default()).await.expect("listed");
    assert_eq!(runs.len(), 1);
    assert_eq!(
        batches.list(10).await.expect("listed")[0].title,
        "nightly: 1 task (prompt)"
    );
}

#[tokio::test]
async fn tasks_are_cancelled_one_by_one_and_done_again() {
    let place = Place::new();
    let (_, batches) = world(&place, Part::Hanger).await;
    let batch = json!([prompt("a", "one"), prompt("b", "two")]);
    let first = batches.submit(request(&place, &batch)).await.expect("taken");
    let id = first.response_id;
    let answer = batches
        .cancel(&id, &["a".to_owned()], "enough")
        .await
        .expect("cancelled");
    assert_eq!(answer.status, BatchStatus::Pending);
    let unknown = batches
        .cancel(&id, &["x".to_owned()], "")
        .await
        .expect_err("unknown");
    assert_eq!(unknown.kind, ErrorKind::NotFound);
    assert!(unknown.message.contains("no task `x`"), "{unknown}");
    let all = batches.cancel(&id, &[], "all").await.expect("cancelled");
    assert_eq!(
        states(&all),
        [("a", ItemState::Cancelled), ("b", ItemState::Cancelled)]
    );
    assert_eq!(all.status, BatchStatus::Failed);
    // Only `b` is done again, in a batch of its own.
    let (_, echoing) = world(&place, Part::Echo).await;
    let again = echoing.retry(&id, &["b".to_owned()]).await.expect("done again");
    assert_ne!(again.response_id, id);
    let last = echoing
        .wait(&again.response_id, None, BoardPage::ALL)
        .await
        .expect("it ends");
    assert_eq!(
        states(&last),
        [("a", ItemState::Cancelled), ("b", ItemState::Completed)]
    );
}

#[tokio::test]
async fn research_is_a_run_of_its_own_and_a_run_that_is_no_batch_is_not_found() {
    let place = Place::new();
    let (engine, batches) = world(&place, Part::Perfect).await;
    let batch = json!([{
        "task_id": "r", "type": "research",
        "parameters": { "question": "Which crossing carries trams?", "sources": ["docs"], "offline": true },
    }]);
    let first = batches.submit(request(&place, &batch)).await.expect("taken");
    let last = batches
        .wait(&first.response_id, Some(Duration::from_secs(60)), BoardPage::ALL)
        .await;
    let last = last.expect("it ends");
    assert_eq!(
        last.results[0].state,
        ItemState::Completed,
        "{:?}",
        last.results[0]
    );
    let child = last.results[0].output.get("run_id").and_then(Value::as_str);
    let child = StreamId::new(child.expect("its run")).expect("an id");
    let row = engine.store().run(&child).await.expect("a run");
    assert_eq!(row.parent_run.map(|run| run.to_string()), Some(first.response_id));
    assert_eq!(row.flow, "research");
    let refused = batches
        .poll(child.as_str(), BoardPage::ALL)
        .await
        .expect_err("no batch");
    assert_eq!(refused.kind, ErrorKind::NotFound);
    let unknown = batches.poll("zzzzzz", BoardPage::ALL).await.expect_err("no run");
    assert_eq!(unknown.kind, ErrorKind::NotFound);
    let here = LocalRunService::new(engine);
    assert_eq!(here.list(&RunFilter::default()).await.expect("listed").len(), 2);
}

#[tokio::test]
async fn a_run_of_one_step_is_two_transactions() {
    let place = Place::new();
    let (engine, _) = world(&place, Part::Echo).await;
    let engine = engine.tried_out(Duration::from_secs(600), 8, |store| store);
    let request = Request::Prompt(Box::new(PromptRequest {
        title: "hello".to_owned(),
        label: "hello".to_owned(),
        prompt: "Say hello.".to_owned(),
        earlier: None,
        llm: LlmConfig::default(),
        limits: Limits::NONE,
        conversation: None,
        recall: false,
    }));
    let plan = Plan::of(&request).expect("a good plan");
    let before = engine.store().n_groups();
    let run = engine
        .start(&plan, StopSignals::default())
        .await
        .expect("it begins");
    run.wait().await.expect("it ends");
    // It is made with its first step; its result and its end are one.
    assert_eq!(engine.store().n_groups() - before, 2);
}
