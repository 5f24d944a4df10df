//! The prompts.

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::Client;
use crate::desk::FakeDesk;

async fn client() -> Client {
    Client::connect(FakeDesk::new(Vec::new()).setup(Duration::from_secs(45))).await
}

#[tokio::test(start_paused = true)]
async fn three_forms_in_two_languages() {
    let mut client = client().await;
    let listed = client.request("prompts/list", json!({})).await;
    let prompts = listed["result"]["prompts"].as_array().unwrap().clone();
    let names: Vec<&Value> = prompts.iter().map(|prompt| &prompt["name"]).collect();
    assert_eq!(names, ["consult", "review", "execute"]);
    for prompt in &prompts {
        let required: Vec<&Value> = prompt["arguments"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|argument| argument["required"] == true)
            .map(|argument| &argument["name"])
            .collect();
        assert_eq!(required, ["tasks"]);
    }
    let arguments = json!({ "tasks": "First\n\n Second", "contract": "# Rules\nNone", "language": "zh" });
    let params = json!({ "name": "execute", "arguments": arguments });
    let message = client.request("prompts/get", params).await;
    let said = &message["result"]["messages"][0];
    assert_eq!(said["role"], "user");
    let text = said["content"]["text"].as_str().unwrap();
    for part in [
        "【工程上下文】",
        "**任务类型**：执行",
        "1. First\n2. Second",
        "  # Rules",
        "Assumption",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_wrong_is_named() {
    let mut client = client().await;
    for (name, arguments, word) in [
        ("advise", json!({ "tasks": "x" }), "advise"),
        ("consult", json!({}), "tasks"),
        ("consult", json!({ "tasks": " " }), "tasks"),
        ("consult", json!({ "tasks": ["x"] }), "tasks"),
        ("consult", json!({ "tasks": "x", "language": "de" }), "language"),
        ("consult", json!({ "tasks": "x", "file": "/etc/passwd" }), "file"),
    ] {
        let params = json!({ "name": name, "arguments": arguments });
        let message = client.request("prompts/get", params).await;
        assert_eq!(message["error"]["code"], -32602, "{message}");
        let words = message["error"]["message"].as_str().unwrap();
        assert!(words.contains(&format!("`{word}`")), "{words}");
    }
}
