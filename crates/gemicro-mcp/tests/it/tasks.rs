//! Tasks of the protocol are runs: they outlive the server that made them.

use std::time::Duration;

use gemicro_event::{Json, Timestamp};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::client::Client;
use crate::desk::FakeDesk;
use crate::script::{answers_after, at, fails, parked, raw};

const BOUND: Duration = Duration::from_secs(45);

fn knows_tasks() -> Value {
    json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } })
}

fn ask() -> Value {
    json!({ "name": "gemini", "arguments": { "PROMPT": "Do it", "cd": "/tmp" } })
}

#[tokio::test(start_paused = true)]
async fn a_task_is_a_run_and_a_new_server_knows_it() {
    let desk = FakeDesk::new(answers_after(100));
    let mut client = Client::connect_as(desk.setup(BOUND), knows_tasks()).await;
    let began = Instant::now();
    let message = client.request("tools/call", ask()).await;
    let task = &message["result"];
    assert_eq!(began.elapsed().as_secs(), 1, "{message}");
    assert_eq!(
        (&task["resultType"], &task["status"]),
        (&json!("task"), &json!("working"))
    );
    assert_eq!(task["taskId"], json!(desk.run()));
    assert_eq!(task["ttlMs"], Value::Null);
    client.vanish().await;

    let mut client = Client::connect_as(desk.setup(BOUND), knows_tasks()).await;
    let params = json!({ "taskId": desk.run() });
    let message = client.request("tasks/get", params.clone()).await;
    assert_eq!(message["result"]["status"], "working", "{message}");
    client.call("run_result", json!({ "run_id": desk.run() })).await;
    client.call("run_result", json!({ "run_id": desk.run() })).await;
    client.call("run_result", json!({ "run_id": desk.run() })).await;
    let message = client.request("tasks/get", params.clone()).await;
    let task = &message["result"];
    assert_eq!(task["status"], "completed", "{message}");
    assert_eq!(task["result"]["structuredContent"]["result"], "Done.");
    assert_eq!(task["result"]["isError"], false);
    // To end what has ended is no error.
    let message = client.request("tasks/cancel", params).await;
    assert!(
        message.get("error").is_none() && desk.cancelled().is_empty(),
        "{message}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_task_that_is_cancelled_is_a_run_that_is_cancelled() {
    let desk = FakeDesk::new(answers_after(100));
    let mut client = Client::connect_as(desk.setup(BOUND), knows_tasks()).await;
    client.request("tools/call", ask()).await;
    let params = json!({ "taskId": desk.run() });
    let message = client.request("tasks/cancel", params.clone()).await;
    assert!(message.get("error").is_none(), "{message}");
    assert_eq!(desk.cancelled().len(), 1);
    let message = client.request("tasks/get", params).await;
    assert_eq!(message["result"]["status"], "cancelled");
}

#[tokio::test(start_paused = true)]
async fn a_task_says_what_it_waits_for() {
    let desk = FakeDesk::new(Vec::new());
    let mut client = Client::connect_as(desk.setup(BOUND), knows_tasks()).await;
    let asks = || at(0, raw("answer_requested", json!({ "key": "delivery" })));
    let answered = || {
        at(
            0,
            raw("answer_given", json!({ "key": "delivery", "answer": "yes" })),
        )
    };
    let limited = || at(0, parked(Timestamp::now()));
    for (script, expected) in [
        (
            vec![asks()],
            "waits for an answer: May it continue (delivery)? Ask the user, then run `gemicro answer RUN yes` (or no)",
        ),
        (vec![limited()], "is waiting and continues by itself"),
        (
            vec![asks(), answered(), limited()],
            "is waiting and continues by itself",
        ),
    ] {
        let run = desk.add("pipeline", Json::empty(), script);
        let message = client.request("tasks/get", json!({ "taskId": run })).await;
        let task = &message["result"];
        assert_eq!(task["status"], "working", "{message}");
        let said = task["statusMessage"].as_str().unwrap();
        let expected = format!("run {run} {}", expected.replace("RUN", run.as_str()));
        assert_eq!(said, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn what_ends_at_once_needs_no_task() {
    let desk = FakeDesk::new(fails());
    let mut client = Client::connect_as(desk.setup(BOUND), knows_tasks()).await;
    let message = client.request("tools/call", ask()).await;
    assert_eq!(
        message["result"]["structuredContent"]["error_kind"],
        "upstream_error"
    );
    let message = client.request("tasks/get", json!({ "taskId": desk.run() })).await;
    assert_eq!(
        message["result"]["status"], "completed",
        "a failed tool is a result"
    );
    assert_eq!(message["result"]["result"]["isError"], true);
}

#[tokio::test(start_paused = true)]
async fn tasks_are_for_those_who_know_them() {
    let desk = FakeDesk::new(answers_after(0));
    let mut client = Client::connect(desk.setup(BOUND)).await;
    let message = client.request("tools/call", ask()).await;
    assert_eq!(message["result"]["structuredContent"]["success"], true);
    let params = json!({ "taskId": desk.run() });
    assert_eq!(client.request("tasks/get", params).await["error"]["code"], -32021);
    let mut client = Client::connect_as(desk.setup(BOUND), knows_tasks()).await;
    let start = desk.run().as_str()[..8].to_owned();
    for unknown in ["nosuchrun0000000", &start] {
        for method in ["tasks/get", "tasks/cancel"] {
            let message = client.request(method, json!({ "taskId": unknown })).await;
            assert_eq!(message["error"]["code"], -32602, "{message}");
        }
    }
}
