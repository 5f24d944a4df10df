//! The contract of the agents' tools: parameters, defaults, answers, to the letter.

use std::time::Duration;

use gemicro_core::ask::{AskPlan, SandboxMode};
use serde_json::{Value, json};

use crate::client::Client;
use crate::desk::FakeDesk;
use crate::script::{answers_after, fails};

const BOUND: Duration = Duration::from_secs(45);

fn sorted_keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

#[tokio::test(start_paused = true)]
async fn the_server_says_who_it_is_and_what_it_has() {
    let desk = FakeDesk::new(Vec::new());
    let mut client = Client::connect(desk.setup(BOUND)).await;
    assert_eq!(client.server["serverInfo"]["name"], "gemicro");
    assert_eq!(
        sorted_keys(&client.server["capabilities"]),
        ["extensions", "prompts", "tools"]
    );
    let instructions = client.server["instructions"].as_str().unwrap();
    for word in [
        "SESSION_ID",
        "success",
        "error_kind",
        "still_running",
        "run_result",
    ] {
        assert!(instructions.contains(word), "{word}");
    }
    let listed = client.request("tools/list", json!({})).await;
    let tools = listed["result"]["tools"].as_array().unwrap().clone();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let expected = [
        "gemini",
        "claude",
        "codex",
        "research",
        "run_status",
        "run_result",
        "run_cancel",
        "batch_submit",
        "batch_poll",
        "pipeline_start",
        "run_pause",
        "run_resume",
        "inbox",
    ];
    assert_eq!(names, expected);
    for tool in &tools {
        assert_eq!(tool["inputSchema"]["additionalProperties"], false);
        assert!(tool["description"].as_str().unwrap().len() < 400);
    }
    let schema = &tools[0]["inputSchema"];
    assert_eq!(schema["required"], json!(["PROMPT", "cd"]));
    // Type and default, as the contract has them.
    let expected = json!({
        "PROMPT": ["string", null],
        "cd": ["string", null],
        "sandbox": ["string", "workspace-write"],
        "yolo": ["boolean", true],
        "SESSION_ID": ["string", null],
        "model": ["string", "gemini-3-pro-preview"],
        "return_all_messages": ["boolean", false],
        "return_metrics": ["boolean", false],
        "timeout": ["integer", 300],
        "max_duration": ["integer", 1800],
        "max_retries": ["integer", 1],
        "log_metrics": ["boolean", false],
    });
    let properties = schema["properties"].as_object().unwrap();
    let found: serde_json::Map<String, Value> = properties
        .iter()
        .map(|(name, it)| (name.clone(), json!([it["type"], it["default"]])))
        .collect();
    assert_eq!(Value::Object(found), expected);
    assert_eq!(
        schema["properties"]["sandbox"]["enum"],
        json!(["read-only", "workspace-write", "danger-full-access"])
    );
    assert_eq!(
        tools[1]["inputSchema"]["properties"]["model"].get("default"),
        None
    );
}

#[tokio::test(start_paused = true)]
async fn success_has_exactly_its_keys() {
    let desk = FakeDesk::new(answers_after(1));
    let mut client = Client::connect(desk.setup(BOUND)).await;
    let answer = client
        .call("gemini", json!({ "PROMPT": "Do it", "cd": "/tmp" }))
        .await;
    let expected = json!({
        "success": true,
        "tool": "gemini",
        "SESSION_ID": "s-1",
        "result": "Done.",
        "duration": "0m0s",
    });
    assert_eq!(answer, expected);
    let plan: AskPlan = desk.plans()[0].read().unwrap();
    let task = &plan.task;
    assert_eq!((task.idle_ms, task.total_ms), (300_000, 1_800_000));
    assert_eq!(
        (task.sandbox, task.yolo, plan.max_attempts),
        (SandboxMode::WorkspaceWrite, true, 2)
    );
    assert_eq!(task.model.as_deref(), Some("gemini-3.1-pro-preview"));
    assert!(plan.notices.is_empty() && desk.logged().is_empty());
}

#[tokio::test(start_paused = true)]
async fn failure_has_exactly_its_keys() {
    let desk = FakeDesk::new(fails());
    let mut client = Client::connect(desk.setup(BOUND)).await;
    let arguments = json!({ "PROMPT": "Do it", "cd": "/tmp", "timeout": 7, "max_duration": 60.0 });
    let answer = client.call("codex", arguments).await;
    let lines: Vec<String> = (11..=30).map(|n| format!("line {n}")).collect();
    let expected = json!({
        "success": false,
        "tool": "codex",
        "error": "it went wrong",
        "error_kind": "upstream_error",
        "error_detail": {
            "message": "it went wrong",
            "exit_code": 3,
            "last_lines": lines,
            "idle_timeout_s": 7,
            "max_duration_s": 60,
            "retries": 1,
        },
        "duration": "0m0s",
    });
    assert_eq!(answer, expected);
}

#[tokio::test(start_paused = true)]
async fn extras_come_only_when_asked_for() {
    let desk = FakeDesk::new(answers_after(0));
    let mut client = Client::connect(desk.setup(BOUND)).await;
    let arguments = json!({
        "PROMPT": "Do it", "cd": "/tmp", "SESSION_ID": "", "model": "gemini-3-pro-preview",
        "return_all_messages": true, "return_metrics": true, "log_metrics": true,
    });
    let mut answer = client.call("gemini", arguments).await;
    assert_eq!(answer["all_messages"], json!([{ "type": "init" }]));
    let mut metrics = answer["metrics"].take();
    assert_eq!(metrics["run_id"], json!(desk.run()));
    for name in ["run_id", "duration_ms"] {
        metrics[name] = Value::Null;
    }
    let expected = json!({
        "run_id": null,
        "model": "gemini-3.1-pro-preview",
        "sandbox": "full",
        "access": "gateway",
        "duration_ms": null,
        "input_tokens": 100,
        "output_tokens": 20,
        "cached_tokens": 40,
        "total_tokens": 120,
        "cost_usd": null,
        "n_requests": 2,
        "n_tool_calls": 3,
        "n_refused": 1,
        "retries": 0,
    });
    assert_eq!(metrics, expected);
    // The name that was replaced is told to people, never as a key.
    let logged = desk.logged();
    assert!(logged[0].contains("gemini-3-pro-preview"), "{logged:?}");
    assert!(logged[1].starts_with("metrics {\"run_id\":"), "{logged:?}");
    let plan: AskPlan = desk.plans()[0].read().unwrap();
    assert_eq!((plan.notices.len(), plan.task.keep_messages), (1, true));
    assert_eq!(plan.task.session, None);
}

#[tokio::test(start_paused = true)]
async fn a_failure_has_extras_too() {
    let desk = FakeDesk::new(fails());
    let mut client = Client::connect(desk.setup(BOUND)).await;
    let arguments =
        json!({ "PROMPT": "x", "cd": "/tmp", "return_all_messages": true, "return_metrics": true });
    let answer = client.call("claude", arguments).await;
    assert_eq!(answer["all_messages"], json!([]));
    let metrics = &answer["metrics"];
    assert_eq!(
        (&metrics["sandbox"], &metrics["total_tokens"], &metrics["retries"]),
        (&json!("landlock"), &json!(7), &json!(1))
    );
    assert_eq!(metrics["cost_usd"], Value::Null);
    let arguments = json!({ "PROMPT": "x", "cd": "/tmp", "model": "gpt-5", "return_metrics": true });
    let refused = client.call("claude", arguments).await;
    assert_eq!(refused["error_kind"], "invalid_input");
}
