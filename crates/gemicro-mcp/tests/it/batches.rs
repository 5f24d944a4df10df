//! The tools about batches, over a desk whose runs follow a script.

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::Client;
use crate::desk::FakeDesk;
use crate::script::{Script, at, raw};

const BOUND: Duration = Duration::from_secs(45);

fn tasks() -> Value {
    json!([
        { "task_id": "a", "type": "prompt", "parameters": { "prompt": "Why?" } },
        { "task_id": "b", "type": "nothing", "parameters": {} },
    ])
}

fn item(task_id: &str, status: &str, output: Value, error: Value, state: &str) -> Value {
    json!({ "task_id": task_id, "status": status, "output": output, "error": error, "state": state })
}

/// The first task completes after ten seconds.
fn completes() -> Script {
    let completed = json!({ "task_id": "a", "output": { "text": "Because." } });
    vec![
        at(10, raw("batch_item_completed", completed)),
        at(
            0,
            raw(
                "final_result",
                json!({ "answer": "1 of 2 tasks completed", "metadata": {} }),
            ),
        ),
    ]
}

#[tokio::test(start_paused = true)]
async fn a_batch_is_answered_at_once_and_polled_to_its_end() {
    let desk = FakeDesk::new(completes());
    let mut client = Client::connect(desk.setup(BOUND)).await;
    let arguments =
        json!({ "tasks": tasks(), "cd": "/tmp", "on_failure": "continue", "deadline_seconds": 60 });
    let first = client.call("batch_submit", arguments).await;
    let run = desk.run();
    assert_eq!(
        (
            &first["success"],
            &first["tool"],
            &first["response_id"],
            &first["status"]
        ),
        (
            &json!(true),
            &json!("batch_submit"),
            &json!(run),
            &json!("pending")
        )
    );
    assert_eq!(
        first["results"][0],
        item("a", "pending", json!({}), Value::Null, "queued")
    );
    assert_eq!(first["results"][1]["state"], "rejected");
    assert_eq!(
        (&first["counts"]["queued"], &first["counts"]["rejected"]),
        (&json!(1), &json!(1))
    );
    let plans = desk.plans();
    let [plan] = plans.as_slice() else {
        panic!("{plans:?}")
    };
    let of_plan = |pointer| plan.plan.pointer(pointer).cloned();
    assert_eq!(
        (of_plan("/settings/directory"), of_plan("/deadline_seconds")),
        (Some(json!("/tmp")), Some(json!(60)))
    );

    let poll = |seconds: u64| json!({ "response_id": run, "wait_seconds": seconds });
    let early = client.call("batch_poll", poll(2)).await;
    assert_eq!(
        (&early["tool"], &early["status"]),
        (&json!("batch_poll"), &json!("pending"))
    );
    let last = client.call("batch_poll", poll(40)).await;
    assert_eq!(last["status"], "completed");
    assert_eq!(
        last["results"][0],
        item(
            "a",
            "completed",
            json!({ "text": "Because." }),
            Value::Null,
            "completed"
        )
    );
    assert_eq!(last["next_poll_interval_seconds"], 0);
    assert_eq!(
        client.call("batch_poll", json!({ "response_id": run })).await,
        last
    );
    let answer = client.call("run_result", json!({ "run_id": run })).await;
    assert!(
        answer["error"].as_str().unwrap().contains("batch_poll"),
        "{answer}"
    );
}

#[tokio::test(start_paused = true)]
async fn whoever_takes_a_poll_back_ends_nothing() {
    let desk = FakeDesk::new(completes());
    let mut client = Client::connect(desk.setup(BOUND)).await;
    let first = client
        .call("batch_submit", json!({ "tasks": tasks(), "cd": "/tmp" }))
        .await;
    let poll = json!({ "name": "batch_poll", "arguments": { "response_id": first["response_id"], "wait_seconds": 40 } });
    let id = client.send("tools/call", poll).await;
    client
        .notify("notifications/cancelled", json!({ "requestId": id }))
        .await;
    let last = client
        .call(
            "batch_poll",
            json!({ "response_id": first["response_id"], "wait_seconds": 40 }),
        )
        .await;
    assert_eq!(last["status"], "completed");
    assert!(desk.cancelled().is_empty());
}

#[tokio::test(start_paused = true)]
async fn parameters_are_read_strictly() {
    let desk = FakeDesk::new(Vec::new());
    let mut client = Client::connect(desk.setup(BOUND)).await;
    let with = |name: &str, value: Value| {
        let mut arguments = json!({ "tasks": tasks(), "cd": "/tmp" });
        arguments[name] = value;
        arguments
    };
    for (arguments, says) in [
        (json!({ "cd": "/tmp" }), "`tasks`"),
        (json!({ "tasks": tasks() }), "`cd`"),
        (with("cd", json!("here")), "`cd`"),
        (with("tasks", json!("[]")), "`tasks`"),
        (with("tasks", json!([])), "no tasks"),
        (with("tasks", json!([{ "task_id": "a" }])), "/tasks/0"),
        (with("tasks", json!([tasks()[0], tasks()[0]])), "/tasks/1/task_id"),
        (with("on_failure", json!("explode")), "`on_failure`"),
        (with("deadline_seconds", json!(0)), "`deadline_seconds`"),
        (with("key", json!(7)), "`key`"),
        (with("key", json!("x".repeat(200))), "/key"),
        (with("color", json!("red")), "`color`"),
    ] {
        let answer = client.call("batch_submit", arguments).await;
        assert_eq!(answer["error_kind"], "invalid_input", "{answer}");
        assert!(answer["error"].as_str().unwrap().contains(says), "{answer}");
    }
    for (arguments, kind, says) in [
        (json!({}), "invalid_input", "`response_id`"),
        (
            json!({ "response_id": "x", "wait_seconds": 41 }),
            "invalid_input",
            "`wait_seconds`",
        ),
        (json!({ "response_id": "nobody" }), "not_found", "nobody"),
    ] {
        let answer = client.call("batch_poll", arguments).await;
        assert_eq!(answer["error_kind"], kind, "{answer}");
        assert!(answer["error"].as_str().unwrap().contains(says), "{answer}");
    }
    assert!(desk.plans().is_empty());
}

#[tokio::test(start_paused = true)]
async fn the_same_key_is_the_same_batch() {
    let desk = FakeDesk::new(Vec::new());
    let mut client = Client::connect(desk.setup(BOUND)).await;
    let arguments = json!({ "tasks": tasks(), "cd": "/tmp", "key": "once" });
    let first = client.call("batch_submit", arguments.clone()).await;
    assert_eq!(client.call("batch_submit", arguments.clone()).await, first);
    assert_eq!(desk.plans().len(), 1);
    let mut other = arguments;
    other["tasks"] = json!([tasks()[0]]);
    assert_eq!(client.call("batch_submit", other).await["error_kind"], "conflict");
}
