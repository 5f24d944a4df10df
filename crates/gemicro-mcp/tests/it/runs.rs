//! The tools about runs.

use std::time::Duration;

use gemicro_event::{Json, Timestamp};
use serde_json::json;

use crate::client::Client;
use crate::desk::FakeDesk;
use crate::script::{answers_after, at, parked, raw, suspended};

const BOUND: Duration = Duration::from_secs(45);

#[tokio::test(start_paused = true)]
async fn a_status_reports_when_a_parked_run_continues() {
    let desk = FakeDesk::new(Vec::new());
    let until = Timestamp::now().plus(Duration::from_secs(600));
    let run = desk.add("ask", Json::empty(), vec![at(0, parked(until))]);
    let mut client = Client::connect(desk.setup(BOUND)).await;
    let mut status = client.call("run_status", json!({ "run_id": run })).await;
    for name in ["started_at", "updated_at"] {
        assert!(status[name].take().is_string(), "{name}");
    }
    for line in status["last_events"].as_array_mut().unwrap() {
        assert!(line["timestamp"].take().is_string());
    }
    let expected = json!({
        "success": true,
        "tool": "run_status",
        "run_id": run,
        "status": "parked",
        "flow": "ask",
        "title": "Do it",
        "started_at": null,
        "updated_at": null,
        "parked_until": until,
        "spent": { "tokens": 0, "micro_usd": 0, "turns": 0 },
        "last_events": [
            { "event_type": "run_started", "message": "Run started: Do it", "timestamp": null },
            { "event_type": "run_parked", "message": format!("Parked until {until}: quota"), "timestamp": null },
        ],
        "duration": "0m0s",
    });
    assert_eq!(status, expected);
}

#[tokio::test(start_paused = true)]
async fn a_run_is_cancelled_once() {
    let desk = FakeDesk::new(answers_after(90));
    let mut client = Client::connect(desk.setup(BOUND)).await;
    client
        .call("claude", json!({ "PROMPT": "Do it", "cd": "/tmp" }))
        .await;
    let run = desk.run();
    let arguments = json!({ "run_id": run, "reason": "enough" });
    let answer = client.call("run_cancel", arguments.clone()).await;
    let expected = json!({
        "success": true, "tool": "run_cancel", "run_id": run, "outcome": "cancelled", "duration": "0m0s",
    });
    assert_eq!(answer, expected);
    assert_eq!(desk.cancelled(), [(run.clone(), "enough".to_owned())]);
    assert_eq!(
        client.call("run_cancel", arguments).await["outcome"],
        "already_ended"
    );
    let answer = client.call("run_result", json!({ "run_id": run })).await;
    assert_eq!(
        (answer["error_kind"].as_str(), answer["tool"].as_str()),
        (Some("cancelled"), Some("claude"))
    );
}

#[tokio::test(start_paused = true)]
async fn what_is_not_there_or_not_ours_is_reported() {
    let desk = FakeDesk::new(Vec::new());
    let mut client = Client::connect(desk.setup(BOUND)).await;
    for tool in ["run_status", "run_result", "run_cancel"] {
        let answer = client.call(tool, json!({ "run_id": "nosuchrun0000000" })).await;
        assert_eq!(
            (answer["error_kind"].as_str(), answer["tool"].as_str()),
            (Some("not_found"), Some(tool))
        );
        for arguments in [
            json!({}),
            json!({ "run_id": 5 }),
            json!({ "run_id": "x", "id": 1 }),
        ] {
            assert_eq!(client.call(tool, arguments).await["error_kind"], "invalid_input");
        }
    }
    let wait = json!({ "run_id": "x", "wait_s": -1 });
    assert_eq!(
        client.call("run_result", wait).await["error_kind"],
        "invalid_input"
    );
    let run = desk.add(
        "tomorrow",
        Json::empty(),
        vec![at(0, raw("final_result", json!({})))],
    );
    let answer = client.call("run_result", json!({ "run_id": run })).await;
    assert_eq!(answer["error_kind"], "invalid_input");
    assert!(
        answer["error"].as_str().unwrap().contains("`tomorrow`"),
        "{answer}"
    );
    let broken = desk.add("ask", Json::empty(), vec![at(0, raw("final_result", json!({})))]);
    let answer = client.call("run_result", json!({ "run_id": broken })).await;
    assert_eq!(answer["error_kind"], "storage_error");
}

#[tokio::test(start_paused = true)]
async fn a_run_that_was_stopped_is_not_waited_for() {
    let desk = FakeDesk::new(vec![at(60, suspended())]);
    let mut client = Client::connect(desk.setup(BOUND)).await;
    client
        .call("gemini", json!({ "PROMPT": "Do it", "cd": "/tmp" }))
        .await;
    // It is stopped while somebody waits, and then before anybody asks.
    for _ in 0..2 {
        let answer = client.call("run_result", json!({ "run_id": desk.run() })).await;
        assert_eq!(answer["error_kind"], "interrupted", "{answer}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_that_waits_for_a_person_says_what_it_asks() {
    let asks = || at(60, raw("answer_requested", json!({ "key": "go" })));
    let desk = FakeDesk::new(vec![asks()]);
    let mut client = Client::connect(desk.setup(BOUND)).await;
    client
        .call("gemini", json!({ "PROMPT": "Do it", "cd": "/tmp" }))
        .await;
    // It asks while the caller waits, and then it has asked before.
    for _ in 0..2 {
        let run = desk.run();
        let answer = client
            .call("run_result", json!({ "run_id": run, "wait_s": 3_600 }))
            .await;
        assert_eq!(answer["error_kind"], "input_required", "{answer}");
        assert_eq!(answer["question"]["key"], "go", "{answer}");
        let words = format!("gemicro answer {run} yes");
        assert!(answer["error"].as_str().unwrap().contains(&words), "{answer}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_is_paused_and_resumed() {
    let desk = FakeDesk::new(vec![at(1_000, suspended())]);
    let mut client = Client::connect(desk.setup(BOUND)).await;
    client
        .call("gemini", json!({ "PROMPT": "Do it", "cd": "/tmp" }))
        .await;
    let run = json!({ "run_id": desk.run() });
    let outcome = async |client: &mut Client| {
        let answer = client.call("run_pause", run.clone()).await;
        assert_eq!(answer["success"], true, "{answer}");
        answer["outcome"].as_str().unwrap().to_owned()
    };
    assert_eq!(outcome(&mut client).await, "paused");
    assert_eq!(outcome(&mut client).await, "already_paused");
    let status = client.call("run_status", run.clone()).await;
    assert_eq!(status["status"], "suspended");
    let resumed = client.call("run_resume", run.clone()).await;
    assert_eq!(
        (&resumed["success"], &resumed["status"]),
        (&json!(true), &json!("running"))
    );
    client.call("run_cancel", run.clone()).await;
    assert_eq!(outcome(&mut client).await, "already_ended");
    let refused = client.call("run_resume", run.clone()).await;
    assert_eq!(refused["error_kind"], "conflict", "{refused}");
    let unknown = client.call("run_pause", json!({ "run_id": "nowhere0" })).await;
    assert_eq!(unknown["error_kind"], "not_found", "{unknown}");
}
