//! Whatever is wrong with a call is told in the contract's shape, by the parameter's name.

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::Client;
use crate::desk::FakeDesk;

const BOUND: Duration = Duration::from_secs(45);

#[tokio::test(start_paused = true)]
async fn wrong_arguments_are_failures_with_exactly_the_keys() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let file = file.path().to_str().unwrap();
    let cases = [
        (json!({ "cd": "/tmp" }), "PROMPT"),
        (json!({ "PROMPT": null, "cd": "/tmp" }), "PROMPT"),
        (json!({ "PROMPT": " \n", "cd": "/tmp" }), "PROMPT"),
        (json!({ "PROMPT": 5, "cd": "/tmp" }), "PROMPT"),
        (json!({ "PROMPT": "x\u{0}", "cd": "/tmp" }), "PROMPT"),
        (json!({ "PROMPT": "x" }), "cd"),
        (json!({ "PROMPT": "x", "cd": "" }), "cd"),
        (json!({ "PROMPT": "x", "cd": "src" }), "cd"),
        (json!({ "PROMPT": "x", "cd": "./" }), "cd"),
        (json!({ "PROMPT": "x", "cd": file }), "cd"),
        (json!({ "PROMPT": "x", "cd": ["/tmp"] }), "cd"),
        (json!({ "PROMPT": "x", "cd": "/tmp", "prompt": "x" }), "prompt"),
        (
            json!({ "PROMPT": "x", "cd": "/tmp", "sandbox": "none" }),
            "sandbox",
        ),
        (json!({ "PROMPT": "x", "cd": "/tmp", "sandbox": true }), "sandbox"),
        (json!({ "PROMPT": "x", "cd": "/tmp", "yolo": "yes" }), "yolo"),
        (
            json!({ "PROMPT": "x", "cd": "/tmp", "SESSION_ID": 1 }),
            "SESSION_ID",
        ),
        (json!({ "PROMPT": "x", "cd": "/tmp", "model": {} }), "model"),
        (json!({ "PROMPT": "x", "cd": "/tmp", "model": "gpt-5" }), "model"),
        (json!({ "PROMPT": "x", "cd": "/tmp", "timeout": 0 }), "timeout"),
        (json!({ "PROMPT": "x", "cd": "/tmp", "timeout": -1 }), "timeout"),
        (json!({ "PROMPT": "x", "cd": "/tmp", "timeout": 1.5 }), "timeout"),
        (
            json!({ "PROMPT": "x", "cd": "/tmp", "timeout": "300" }),
            "timeout",
        ),
        (
            json!({ "PROMPT": "x", "cd": "/tmp", "max_duration": 1e300 }),
            "max_duration",
        ),
        (
            json!({ "PROMPT": "x", "cd": "/tmp", "max_duration": u64::MAX }),
            "max_duration",
        ),
        (
            json!({ "PROMPT": "x", "cd": "/tmp", "max_retries": 11 }),
            "max_retries",
        ),
        (
            json!({ "PROMPT": "x", "cd": "/tmp", "return_metrics": 1 }),
            "return_metrics",
        ),
        (
            json!({ "PROMPT": "x", "cd": "/tmp", "return_all_messages": "" }),
            "return_all_messages",
        ),
        (
            json!({ "PROMPT": "x", "cd": "/tmp", "log_metrics": [] }),
            "log_metrics",
        ),
    ];
    let desk = FakeDesk::new(Vec::new());
    let mut client = Client::connect(desk.setup(BOUND)).await;
    for (arguments, name) in cases {
        let answer = client.call("gemini", arguments.clone()).await;
        let error = answer["error"].as_str().unwrap().to_owned();
        assert!(error.contains(&format!("`{name}`")), "{arguments}: {error}");
        assert_eq!(answer, failure(&error, "invalid_input"), "{arguments}");
    }
    let missing = json!({ "PROMPT": "x", "cd": "/nowhere/at/all" });
    let answer = client.call("gemini", missing).await;
    let error = "`cd`: the folder /nowhere/at/all does not exist";
    assert_eq!(answer, failure(error, "not_found"));
    let unknown = json!({ "PROMPT": "x", "cd": "/tmp", "model": "llama" });
    assert_eq!(
        client.call("gemini", unknown).await["error_kind"],
        "unknown_model"
    );
    assert!(desk.plans().is_empty());
}

fn failure(error: &str, kind: &str) -> Value {
    json!({
        "success": false,
        "tool": "gemini",
        "error": error,
        "error_kind": kind,
        "error_detail": {
            "message": error,
            "exit_code": null,
            "last_lines": [],
            "idle_timeout_s": 300,
            "max_duration_s": 1800,
            "retries": 0,
        },
        "duration": "0m0s",
    })
}

#[tokio::test(start_paused = true)]
async fn an_unknown_tool_is_an_error_of_the_protocol() {
    let mut client = Client::connect(FakeDesk::new(Vec::new()).setup(BOUND)).await;
    let params = json!({ "name": "gemin", "arguments": {} });
    let message = client.request("tools/call", params).await;
    assert_eq!(message["error"]["code"], -32602, "{message}");
    // No arguments at all are none.
    let message = client.request("tools/call", json!({ "name": "gemini" })).await;
    assert_eq!(
        message["result"]["structuredContent"]["error_kind"],
        "invalid_input"
    );
}
