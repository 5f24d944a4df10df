//! A call that takes long is answered in time, and its run is never lost by accident.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::client::{Client, tool_answer};
use crate::desk::FakeDesk;
use crate::script::{Happens, answers_after, at, raw};

const BOUND: Duration = Duration::from_secs(45);

fn ask() -> Value {
    json!({ "PROMPT": "Do it", "cd": "/tmp" })
}

fn ask_with_progress() -> Value {
    json!({ "name": "gemini", "arguments": ask(), "_meta": { "progressToken": "p" } })
}

#[tokio::test(start_paused = true)]
async fn a_long_call_answers_in_time_and_its_result_is_fetched_later() {
    let desk = FakeDesk::new(answers_after(100));
    let mut client = Client::connect(desk.setup(BOUND)).await;
    let began = Instant::now();
    let answer = client.call("gemini", ask()).await;
    assert_eq!(began.elapsed().as_secs(), 45);
    let run = desk.run();
    let words = format!("the run continues; call run_result with run_id {run} for its answer");
    let expected = json!({
        "success": false,
        "tool": "gemini",
        "error": words,
        "error_kind": "still_running",
        "error_detail": {
            "message": words,
            "exit_code": null,
            "last_lines": [],
            "idle_timeout_s": 300,
            "max_duration_s": 1800,
            "retries": 0,
            "run_id": run,
        },
        "duration": "0m45s",
    });
    assert_eq!(answer, expected);
    let answer = client
        .call("run_result", json!({ "run_id": run, "wait_s": 5 }))
        .await;
    assert_eq!(
        (answer["error_kind"].as_str(), began.elapsed().as_secs()),
        (Some("still_running"), 50)
    );
    assert_eq!(answer["tool"], "gemini");
    let answer = client
        .call("run_result", json!({ "run_id": run, "wait_s": 0 }))
        .await;
    assert_eq!(
        (answer["error_kind"].as_str(), began.elapsed().as_secs()),
        (Some("still_running"), 50)
    );
    // The bound holds whatever is asked for.
    let answer = client
        .call("run_result", json!({ "run_id": run, "wait_s": 3600 }))
        .await;
    assert_eq!(
        (answer["error_kind"].as_str(), began.elapsed().as_secs()),
        (Some("still_running"), 95)
    );
    let answer = client.call("run_result", json!({ "run_id": run })).await;
    assert_eq!(
        (answer["result"].as_str(), began.elapsed().as_secs()),
        (Some("Done."), 100)
    );
    assert!(desk.cancelled().is_empty());
}

#[tokio::test(start_paused = true)]
async fn progress_grows_and_is_never_silent_for_long() {
    let mut script = vec![
        at(12, raw("step_started", json!({}))),
        at(0, raw("agent_started", json!({}))),
    ];
    script.extend((0..100).map(|_| (Duration::from_millis(20), Happens::Text("word "))));
    script.extend(answers_after(8));
    let desk = FakeDesk::new(script);
    let mut client = Client::connect(desk.setup(BOUND)).await;
    let id = client.send("tools/call", ask_with_progress()).await;
    let (began, mut last) = (Instant::now(), Instant::now());
    let mut progress = Vec::new();
    let message = loop {
        let message = client.read().await.unwrap();
        assert!(last.elapsed() <= Duration::from_secs(5), "{message}");
        last = Instant::now();
        if message["id"] == id {
            break message;
        }
        assert_eq!(message["method"], "notifications/progress");
        assert_eq!(message["params"]["progressToken"], "p");
        progress.push((began.elapsed(), message["params"].clone()));
    };
    assert_eq!(tool_answer(&message)["success"], true);
    let values: Vec<f64> = progress
        .iter()
        .map(|(_, it)| it["progress"].as_f64().unwrap())
        .collect();
    assert!(values.windows(2).all(|pair| pair[0] < pair[1]), "{values:?}");
    let words = |(_, it): &(Duration, Value)| it["message"].as_str().unwrap().to_owned();
    let lines: Vec<String> = progress.iter().map(words).collect();
    assert!(lines[0].contains(desk.run().as_str()), "{lines:?}");
    assert!(lines.contains(&"agent_started".to_owned()), "{lines:?}");
    assert!(!lines.contains(&"step_started".to_owned()), "{lines:?}");
    assert!(
        lines.iter().any(|line| line.starts_with("working, ")),
        "{lines:?}"
    );
    // Two seconds of text: at most two lines in each.
    let texts: Vec<Duration> = progress
        .iter()
        .filter(|it| words(it).starts_with("word") || words(it).contains(" word"))
        .map(|(at, _)| *at)
        .collect();
    assert!((2..=6).contains(&texts.len()), "{texts:?}");
    let gaps_are_wide = texts
        .windows(2)
        .all(|pair| pair[1] - pair[0] >= Duration::from_millis(500));
    assert!(gaps_are_wide, "{texts:?}");
}

#[tokio::test(start_paused = true)]
async fn without_a_token_there_is_no_progress() {
    let desk = FakeDesk::new(answers_after(20));
    let mut client = Client::connect(desk.setup(BOUND)).await;
    client.call("gemini", ask()).await;
    assert!(client.notes.is_empty(), "{:?}", client.notes);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_cancels_its_call_cancels_the_run() {
    let desk = FakeDesk::new(answers_after(30));
    let mut client = Client::connect(desk.setup(BOUND)).await;
    let id = client.send("tools/call", ask_with_progress()).await;
    // The first progress says that the run is there.
    client.read().await.unwrap();
    client
        .notify(
            "notifications/cancelled",
            json!({ "requestId": id, "reason": "enough" }),
        )
        .await;
    let status = loop {
        let status = client.call("run_status", json!({ "run_id": desk.run() })).await;
        if status["status"] != "running" {
            break status;
        }
    };
    assert_eq!(status["status"], "cancelled");
    assert_eq!(desk.cancelled().len(), 1);
    assert!(desk.cancelled()[0].1.contains("cancelled the call"));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_vanishes_does_not_cancel_the_run() {
    let desk = FakeDesk::new(answers_after(30));
    let mut client = Client::connect(desk.setup(BOUND)).await;
    client.send("tools/call", ask_with_progress()).await;
    client.read().await.unwrap();
    let began = Instant::now();
    client.vanish().await;
    assert!(began.elapsed() < Duration::from_secs(1), "it left at once");
    assert!(desk.cancelled().is_empty());
    // Another process, later.
    let mut client = Client::connect(desk.setup(BOUND)).await;
    let answer = client.call("run_result", json!({ "run_id": desk.run() })).await;
    assert_eq!(answer["result"], "Done.");
    assert!(desk.cancelled().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_server_that_stops_says_which_run_continues() {
    let desk = FakeDesk::new(answers_after(30));
    let mut client = Client::connect(desk.setup(BOUND)).await;
    let id = client.send("tools/call", ask_with_progress()).await;
    client.read().await.unwrap();
    client.shutdown.cancel();
    let answer = tool_answer(&client.answer(id).await);
    assert_eq!(answer["error_detail"]["run_id"], json!(desk.run()));
    assert!(client.read().await.is_none());
    assert!(desk.cancelled().is_empty());
}

#[tokio::test(start_paused = true)]
async fn whoever_stops_asking_for_a_result_ends_nothing() {
    let desk = FakeDesk::new(answers_after(60));
    let mut client = Client::connect(desk.setup(BOUND)).await;
    client.call("gemini", ask()).await;
    let params = json!({
        "name": "run_result", "arguments": { "run_id": desk.run() }, "_meta": { "progressToken": 7 },
    });
    let id = client.send("tools/call", params).await;
    client.read().await.unwrap();
    client
        .notify("notifications/cancelled", json!({ "requestId": id }))
        .await;
    let answer = client.call("run_result", json!({ "run_id": desk.run() })).await;
    assert_eq!(answer["result"], "Done.");
    assert!(desk.cancelled().is_empty());
}

#[tokio::test(start_paused = true)]
async fn figures_of_a_run_that_ends_later_are_logged_all_the_same() {
    let desk = FakeDesk::new(answers_after(60));
    let mut client = Client::connect(desk.setup(BOUND)).await;
    let arguments = json!({ "PROMPT": "Do it", "cd": "/tmp", "log_metrics": true });
    let answer = client.call("gemini", arguments).await;
    assert_eq!(
        (answer["error_kind"].as_str(), desk.logged().len()),
        (Some("still_running"), 0)
    );
    client.call("run_result", json!({ "run_id": desk.run() })).await;
    // The line is written by a task of its own.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    let logged = desk.logged();
    assert_eq!(logged.len(), 1);
    assert!(logged[0].contains("\"n_tool_calls\":3"), "{logged:?}");
}

/// The second request with an id is refused while the first is open, and the first still gets its answer.
#[tokio::test(start_paused = true)]
async fn an_id_is_used_once_at_a_time() {
    let desk = FakeDesk::new(answers_after(3));
    let mut client = Client::connect(desk.setup(Duration::from_secs(45))).await;
    let params = json!({ "name": "gemini", "arguments": { "PROMPT": "Do it", "cd": "/tmp" } });
    let id = client.send("tools/call", params.clone()).await;
    client.send_as(id, "tools/call", params.clone()).await;
    client.send_as(id, "tools/list", json!({})).await;
    for _ in 0..2 {
        let refused = client.answer(id).await;
        assert_eq!(refused["error"]["code"], -32600, "{refused}");
    }
    let answered = client.answer(id).await;
    assert_eq!(tool_answer(&answered)["result"], "Done.");
    assert_eq!(desk.plans().len(), 1);
    // The id is free again, after an answer and after a call that was taken back.
    client.send_as(id, "tools/call", params.clone()).await;
    let cancelled = json!({ "requestId": id });
    client.notify("notifications/cancelled", cancelled).await;
    client.send_as(id, "tools/list", json!({})).await;
    assert!(client.answer(id).await["result"]["tools"].is_array());
}
