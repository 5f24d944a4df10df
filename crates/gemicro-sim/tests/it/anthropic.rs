//! The Anthropic API: what it sends, what it refuses, how it goes wrong.

use gemicro_sim::scenario::ScenarioEndpoint;
use serde_json::{Value, json};

use crate::client::{Answer, Ended, open, read, start, with};
use crate::golden::{check_faults, check_with};

const MESSAGES: &str = "/v1/messages";
const COUNT: &str = "/v1/messages/count_tokens";
const KEY: &str = "sk-sim-0123456789abcdef";
const HEADERS: &[(&str, &str)] = &[("x-api-key", KEY), ("anthropic-version", "2023-06-01")];

const SCENARIO: &str = r#"
scenario: anthropic
models: [my-model]
rules:
  - when: { prompt_contains: think }
    reply: { thoughts: "Let me see.", text: "Seen.", usage: { cached: 3, cache_written: 2, input: 9 } }
  - when: { tool_result: get_weather }
    reply: { text: "It is {{tool_result}}." }
  - when: { prompt: "weather*" }
    reply:
      text: "I will look."
      calls:
        - { name: get_weather, arguments: { city: Paris } }
        - { name: get_time }
  - when: { prompt_contains: json }
    reply: { persona: helper }
  - when: { chained: true, system_contains: brief }
    reply: { text: "And on: {{prompt}}" }
  - when: { prompt_contains: stop }
    reply: { text: "x", status: stop_sequence }
  - when: { endpoint: messages }
    reply: { text: "You said: {{prompt}}", chunks: { sizes: [4, 9] } }
"#;

fn user(text: &str) -> Value {
    json!({"model": "claude-opus-4-8", "max_tokens": 1000, "messages": [{"role": "user", "content": text}]})
}

fn without(mut body: Value, name: &str) -> String {
    body.as_object_mut().expect("a body is an object").remove(name);
    body.to_string()
}

fn said(messages: Value) -> String {
    with(user(""), json!({ "messages": messages }))
}

async fn ask(addr: std::net::SocketAddr, path: &str, body: &str, headers: &[(&str, &str)]) -> Answer {
    read(open(addr, "POST", path, body, headers).await).await
}

/// A turn in which two tools were called, and what the next one brings.
fn called(results: Value) -> Value {
    json!([
        {"role": "user", "content": "weather?"},
        {"role": "assistant", "content": [
            {"type": "text", "text": "I will look."},
            {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "Paris"}},
            {"type": "tool_use", "id": "toolu_2", "name": "get_time", "input": {}},
        ]},
        {"role": "user", "content": results},
    ])
}

#[tokio::test]
async fn answers() {
    let stream = json!({"stream": true});
    let thinking = json!({"thinking": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 2000});
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let schema = json!({"output_config": {"format": {"type": "json_schema", "schema": schema}}});
    let turns = json!({"model": "my-model", "max_tokens": 9, "system": [{"type": "text", "text": "Be brief."}], "messages": [
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": [{"type": "text", "text": "two"}]},
        {"role": "user", "content": [{"type": "text", "text": "three"}, {"type": "image", "source": {"type": "url", "url": "http://x"}}]},
    ]});
    let results = called(json!([
        {"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": "rain"}]},
        {"type": "tool_result", "tool_use_id": "toolu_2", "content": "noon", "is_error": false},
    ]));
    let thoughtful = with(user("think"), thinking);
    let bodies = [
        user("hello").to_string(),
        with(user("hello"), stream.clone()),
        user("think").to_string(),
        with(serde_json::from_str(&thoughtful).unwrap(), stream.clone()),
        thoughtful,
        user("weather").to_string(),
        with(user("weather"), stream.clone()),
        said(results),
        with(user("json"), schema),
        turns.to_string(),
        with(user("hello"), json!({"max_tokens": 2})),
        with(user("stop"), stream),
    ];
    let mut asks: Vec<_> = bodies
        .iter()
        .map(|body| ("POST", MESSAGES, body.as_str()))
        .collect();
    let counted = without(user("hello there"), "max_tokens");
    asks.push(("POST", COUNT, &counted));
    check_with("anthropic_answers", SCENARIO, &asks, HEADERS).await;
}

#[tokio::test]
async fn refusals_and_models() {
    let block = |block: Value| said(json!([{"role": "user", "content": [block]}]));
    let result = |id: &str| json!({"type": "tool_result", "tool_use_id": id});
    let tool = |tool: Value| with(user("x"), json!({"tools": [tool]}));
    let schema = json!({"type": "object"});
    let bodies = [
        "not json".to_owned(),
        "[]".to_owned(),
        without(user("x"), "model"),
        without(user("x"), "max_tokens"),
        without(user("x"), "messages"),
        with(user("x"), json!({"max_tokens": 0})),
        with(user("x"), json!({"max_tokens": "many"})),
        with(user("x"), json!({"model": "gpt-4"})),
        with(user("x"), json!({"future": 1})),
        with(user("x"), json!({"stream": "yes"})),
        with(user("x"), json!({"temperature": 1.5})),
        with(user("x"), json!({"stop_sequences": "x"})),
        with(user("x"), json!({"system": 7})),
        with(user("x"), json!({"thinking": {"type": "enabled"}})),
        with(
            user("x"),
            json!({"thinking": {"type": "enabled", "budget_tokens": 1000}}),
        ),
        with(
            user("x"),
            json!({"thinking": {"type": "enabled", "budget_tokens": 1024}}),
        ),
        said(json!([])),
        said(json!([{"role": "assistant", "content": "x"}])),
        said(json!([{"role": "tool", "content": "x"}])),
        said(json!([{"role": "user", "content": "x"}, {"role": "system", "content": "y"}])),
        said(json!([{"role": "user"}])),
        said(json!([{"role": "user", "content": ""}])),
        block(json!({"type": "text", "text": ""})),
        block(json!({"type": "sound"})),
        block(json!({"type": "tool_use", "id": "a", "name": "b", "input": {}})),
        block(result("toolu_9")),
        said(called(json!([result("toolu_1")]))),
        said(called(json!("and now?"))),
        tool(json!({"name": "a"})),
        tool(json!({"name": "a b", "input_schema": schema})),
        tool(json!({"name": "a", "input_schema": {}})),
        with(
            user("x"),
            json!({"tools": [{"name": "a", "input_schema": schema}, {"name": "a", "input_schema": schema}]}),
        ),
        with(user("x"), json!({"tool_choice": {"type": "auto"}})),
        with(
            user("x"),
            json!({"tools": [{"name": "a", "input_schema": schema}], "tool_choice": {"type": "tool", "name": "b"}}),
        ),
    ];
    let mut asks: Vec<_> = bodies
        .iter()
        .map(|body| ("POST", MESSAGES, body.as_str()))
        .collect();
    let counted = user("x").to_string();
    asks.push(("POST", COUNT, &counted));
    asks.extend([
        ("GET", "/v1/models", ""),
        ("GET", "/v1/models?limit=2&after_id=claude-opus-4-8", ""),
        ("GET", "/v1/models?limit=0", ""),
        ("GET", "/v1/models/my-model", ""),
        ("GET", "/v1/models/nobody", ""),
    ]);
    check_with("anthropic_refusals", SCENARIO, &asks, HEADERS).await;
}

#[tokio::test]
async fn every_fault() {
    let statuses = [400, 401, 403, 404, 413, 500, 504, 529]
        .map(|status| format!("{{ http: {{ status: {status}, headers: {{ x-extra: yes }} }} }}"));
    let mut plain: Vec<&str> = statuses.iter().map(String::as_str).collect();
    plain.extend([
        "{ http: { status: 404, code: strange_error, message: gone } }",
        "{ http: { status: 400, envelope: rpc } }",
    ]);
    let spoilt = [
        "{ stream_error: { after_chunks: 1, code: overloaded, message: broke } }",
        "{ stream_error: {} }",
        "{ safety: {} }",
        "{ safety: { stage: answer } }",
    ];
    check_faults(
        "anthropic_faults",
        (MESSAGES, user("hello"), HEADERS),
        &plain,
        &spoilt,
    )
    .await;
}

#[tokio::test]
async fn keys_versions_and_the_first_knock() {
    let simulator = start("scenario: s\notherwise: answer\n").await;
    let addr = simulator.addr();
    let body = user("hello").to_string();
    let version = ("anthropic-version", "2023-06-01");
    for (headers, status, kind) in [
        (vec![version], 401, "authentication_error"),
        (vec![version, ("x-api-key", "")], 401, "authentication_error"),
        (
            vec![version, ("x-api-key", "invalid")],
            401,
            "authentication_error",
        ),
        (vec![("x-api-key", KEY)], 400, "invalid_request_error"),
        (vec![version, ("x-api-key", KEY)], 200, ""),
        (
            vec![version, ("authorization", "Bearer sim-token-123456")],
            200,
            "",
        ),
    ] {
        let answer = ask(addr, MESSAGES, &body, &headers).await;
        assert_eq!(answer.status, status, "{headers:?}: {}", answer.body);
        let error = answer.json();
        assert_eq!(error["error"]["type"].as_str().unwrap_or_default(), kind);
    }
    let unknown = read(open(addr, "GET", "/v1/messages/batches", "", HEADERS).await).await;
    assert_eq!(unknown.status, 404);
    assert_eq!(unknown.json()["error"]["type"], "not_found_error");
    let knock = read(open(addr, "HEAD", "/", "", &[]).await).await;
    assert_eq!((knock.status, knock.body.as_str()), (200, ""));
    // The beta that Claude Code uses allows what is refused otherwise.
    let turns = json!([{"role": "user", "content": "x"}, {"role": "system", "content": "y"}]);
    let beta = (
        "anthropic-beta",
        "a-2026-01-01,mid-conversation-system-2026-04-07",
    );
    let answer = ask(addr, MESSAGES, &said(turns), &[version, ("x-api-key", KEY), beta]).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    // The same path is OpenAI's for whoever brings no header of Anthropic.
    let bearer = [("authorization", "Bearer sim-token-123456")];
    let openai = read(open(addr, "GET", "/v1/models", "", &bearer).await).await;
    assert_eq!(openai.json()["object"], "list");
    simulator.shutdown().await;
}

#[tokio::test]
async fn bodies_are_bounded() {
    let simulator = start("scenario: s\notherwise: answer\n").await;
    // A little more than fits: nearly all of it is read before it is refused.
    let large = user(&"x".repeat(32 << 20)).to_string();
    let headers = [("x-api-key", KEY), ("anthropic-version", "2023-06-01")];
    let answer = ask(simulator.addr(), MESSAGES, &large, &headers).await;
    assert_eq!(answer.status, 413);
    assert_eq!(answer.json()["error"]["type"], "request_too_large");
    let fitting = user(&"x".repeat(25 << 20)).to_string();
    let answer = ask(simulator.addr(), MESSAGES, &fitting, &headers).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    simulator.shutdown().await;
}

#[tokio::test]
async fn gates_hangs_and_the_log() {
    let simulator = start("scenario: s\nrules:\n  - { when: { prompt_contains: hang }, reply: { text: 'one two', chunks: { sizes: [4] } }, fault: { hang: { after_chunks: 1 } } }\n  - { when: { prompt_contains: never }, fault: { hang: {} } }\n  - reply: { text: 'one two six', chunks: { sizes: [4] }, gate: { name: half, after_chunks: 1 } }\n").await;
    let addr = simulator.addr();
    let body = with(user(&format!("my key is {KEY}")), json!({"stream": true}));
    let waiting = tokio::spawn(async move { ask(addr, MESSAGES, &body, HEADERS).await });
    simulator.gates().wait_until_reached("half", 1).await;
    simulator.gates().open("half");
    let answer = waiting.await.unwrap();
    assert_eq!(answer.ended, Ended::Whole);
    assert!(
        answer
            .body
            .ends_with("event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n")
    );
    assert_eq!(simulator.log().count(ScenarioEndpoint::Messages), 1);
    let entry = simulator.log().entries().pop().unwrap();
    assert_eq!(entry.model, "claude-opus-4-8");
    assert!(!format!("{entry:?}").contains(KEY), "{entry:?}");

    let hung = ask(
        addr,
        MESSAGES,
        &with(user("hang"), json!({"stream": true})),
        HEADERS,
    )
    .await;
    assert_eq!(hung.ended, Ended::Silent);
    assert!(
        hung.body.contains("\"one \"") && !hung.body.contains("two"),
        "{}",
        hung.body
    );
    let never = user("never").to_string();
    let silent = open(addr, "POST", MESSAGES, &never, HEADERS);
    let silent = tokio::time::timeout(std::time::Duration::from_millis(300), silent).await;
    assert!(silent.is_err(), "not even the headers come");
    simulator.shutdown().await;
}
