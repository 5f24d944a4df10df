//! The Responses API: what it sends, what it refuses, how it goes wrong, and what it remembers.

use serde_json::{Value, json};

use crate::client::{Answer, Ended, open, read, start, with};
use crate::golden::{check_faults, check_with};

const RESPONSES: &str = "/v1/responses";
const BEARER: &[(&str, &str)] = &[("authorization", "Bearer sim-test-key-0123456789")];

const SCENARIO: &str = r#"
scenario: responses
models: [my-model]
rules:
  - when: { prompt_contains: think }
    reply: { thoughts: "Let me see.", text: "Seen.", usage: { cached: 3 } }
  - when: { tool_result: get_weather, tool_result_contains: rain }
    reply: { text: "It is {{tool_result}}." }
  - when: { prompt: "weather*" }
    reply:
      calls:
        - { name: get_weather, arguments: { city: Paris } }
        - { name: apply_patch, arguments: { input: "*** Begin Patch" } }
  - when: { prompt: notes }
    reply: { calls: [{ name: mcp__notes/find, arguments: { word: x } }] }
  - when: { prompt_contains: json }
    reply: { persona: helper }
  - when: { prompt_contains: source }
    reply: { search: { queries: [q] }, text: "Ü: [[a finding|https://example.com/a|A]]." }
  - when: { chained: true, history_contains: the word is blue }
    reply: { text: "You said blue." }
  - when: { endpoint: responses, system_contains: brief }
    reply: { text: "Brief." }
  - when: { endpoint: responses }
    reply: { text: "You said: {{prompt}}", chunks: { sizes: [4, 9] } }
"#;

fn asked(input: impl Into<Value>) -> Value {
    json!({"model": "gpt-5.5-codex", "input": input.into()})
}

async fn ask(addr: std::net::SocketAddr, body: &str) -> Answer {
    read(open(addr, "POST", RESPONSES, body, BEARER).await).await
}

#[tokio::test]
async fn answers() {
    let stream = json!({"stream": true});
    let tools = json!([{"type": "function", "name": "get_weather", "parameters": {}}, {"type": "custom", "name": "apply_patch"}]);
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let schema = json!({"text": {"format": {"type": "json_schema", "name": "answer", "schema": schema}}});
    let summary = json!({"reasoning": {"summary": "auto"}, "include": ["reasoning.encrypted_content"]});
    let results = json!([
        {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "Be kind."}]},
        {"role": "user", "content": "weather?"},
        {"type": "reasoning", "summary": []},
        {"type": "function_call", "call_id": "call_1", "name": "get_weather", "arguments": "{}"},
        {"type": "custom_tool_call", "call_id": "call_2", "name": "apply_patch", "input": "x"},
        {"type": "custom_tool_call_output", "call_id": "call_2", "output": "Done."},
        {"type": "function_call_output", "call_id": "call_1", "output": "rain"},
    ]);
    let thinking = with(asked("think"), summary);
    let bodies = [
        asked("hello").to_string(),
        with(asked("hello"), stream.clone()),
        asked("think").to_string(),
        with(serde_json::from_str(&thinking).unwrap(), stream.clone()),
        with(asked("weather"), json!({ "tools": tools })),
        with(asked("weather"), json!({"tools": tools, "stream": true})),
        asked(results).to_string(),
        asked("notes").to_string(),
        with(asked("json"), schema),
        with(asked("source"), stream),
        with(
            asked("hello"),
            json!({"instructions": "Be brief.", "metadata": {"a": "b"}, "store": false}),
        ),
        with(
            asked("hello, and this is a long one that has to be cut somewhere because it is too long"),
            json!({"max_output_tokens": 16}),
        ),
    ];
    let asks: Vec<_> = bodies
        .iter()
        .map(|body| ("POST", RESPONSES, body.as_str()))
        .collect();
    check_with("responses_answers", SCENARIO, &asks, BEARER).await;
}

#[tokio::test]
async fn refusals() {
    let item = |item: Value| asked(json!([item])).to_string();
    let bodies = [
        "not json".to_owned(),
        json!({"input": "x"}).to_string(),
        json!({"model": "gpt-5.5"}).to_string(),
        asked(json!([])).to_string(),
        asked(7).to_string(),
        with(asked("x"), json!({"model": "nobody"})),
        with(asked("x"), json!({"messages": []})),
        with(asked("x"), json!({"stream": 1})),
        with(asked("x"), json!({"max_output_tokens": 3})),
        with(asked("x"), json!({"previous_response_id": "resp_none"})),
        with(asked("x"), json!({"tools": [{"type": "function"}]})),
        with(asked("x"), json!({"tools": [{"name": "x"}]})),
        with(asked("x"), json!({"text": {"format": {"type": "xml"}}})),
        with(
            asked("x"),
            json!({"text": {"format": {"type": "json_schema", "name": "x"}}}),
        ),
        item(json!({"role": "model", "content": "x"})),
        item(json!({"role": "user"})),
        item(json!({"role": "user", "content": [{"type": "text", "text": "x"}]})),
        item(json!({"type": "thought"})),
        item(json!({"type": "function_call_output", "call_id": "c"})),
        item(json!({"type": "function_call_output", "call_id": "c", "output": "x"})),
        item(json!({"type": "function_call", "call_id": "c", "name": "n", "arguments": "{}"})),
    ];
    let asks: Vec<_> = bodies
        .iter()
        .map(|body| ("POST", RESPONSES, body.as_str()))
        .collect();
    check_with("responses_refusals", SCENARIO, &asks, BEARER).await;
}

#[tokio::test]
async fn every_fault() {
    let plain = [
        "{ http: { status: 503, headers: { x-extra: yes } } }",
        "{ http: { status: 401 } }",
        "{ http: { status: 400, envelope: anthropic } }",
    ];
    let spoilt = [
        "{ stream_error: { after_chunks: 1, code: internal, message: broke } }",
        "{ safety: {} }",
        "{ safety: { stage: answer, reason: RECITATION } }",
    ];
    check_faults(
        "responses_faults",
        (RESPONSES, asked("hello"), BEARER),
        &plain,
        &spoilt,
    )
    .await;
}

#[tokio::test]
async fn conversations_continue() {
    let simulator = start(SCENARIO).await;
    let addr = simulator.addr();
    let first = ask(addr, &asked("the word is blue").to_string()).await.json();
    let on = |id: &Value| with(asked("which word?"), json!({"previous_response_id": id}));
    let second = ask(addr, &on(&first["id"])).await.json();
    assert_eq!(second["output"][0]["content"][0]["text"], "You said blue.");
    assert_eq!(second["previous_response_id"], first["id"]);
    assert_eq!(second["usage"]["input_tokens"], 4 + 7 + 3, "both turns are read");

    let unstored = with(asked("the word is blue"), json!({"store": false}));
    let unstored = ask(addr, &unstored).await.json();
    assert_eq!(ask(addr, &on(&unstored["id"])).await.status, 400);
    let unknown = read(open(addr, "GET", "/v1/responses/resp_1", "", BEARER).await).await;
    assert_eq!(
        (unknown.status, &unknown.json()["error"]["param"]),
        (404, &Value::Null)
    );
    assert_eq!(unknown.json()["error"]["type"], "invalid_request_error");
    simulator.reset();
    assert_eq!(ask(addr, &on(&first["id"])).await.status, 400, "forgotten");

    // A call that waits for its result stands in the earlier response.
    let called = ask(addr, &asked("weather").to_string()).await.json();
    let calls = called["output"].as_array().unwrap();
    let result = |call: &Value, said: &str| json!({"type": "function_call_output", "call_id": call["call_id"], "output": said});
    let id = json!({"previous_response_id": called["id"]});
    let half = with(asked(json!([result(&calls[0], "rain")])), id.clone());
    assert!(
        ask(addr, &half)
            .await
            .body
            .contains("No tool output found for function call")
    );
    let whole = json!([result(&calls[0], "rain"), result(&calls[1], "ok")]);
    let answer = ask(addr, &with(asked(whole), id)).await.json();
    assert_eq!(answer["output"][0]["content"][0]["text"], "It is rain\nok.");
    simulator.shutdown().await;
}

#[tokio::test]
async fn gates_and_hangs() {
    let simulator = start("scenario: s\nrules:\n  - { when: { prompt_contains: hang }, reply: { text: 'one two', chunks: { sizes: [4] } }, fault: { hang: { after_chunks: 1 } } }\n  - reply: { text: 'one two six', gate: { name: all } }\n").await;
    let addr = simulator.addr();
    let body = asked("hello").to_string();
    let waiting = tokio::spawn(async move { ask(addr, &body).await });
    simulator.gates().wait_until_reached("all", 1).await;
    simulator.gates().open("all");
    assert_eq!(waiting.await.unwrap().json()["status"], "completed");
    let hung = ask(addr, &with(asked("hang"), json!({"stream": true}))).await;
    assert_eq!(hung.ended, Ended::Silent);
    assert!(hung.body.contains("\"delta\":\"one \"") && !hung.body.contains("response.completed"));
    simulator.shutdown().await;
}
