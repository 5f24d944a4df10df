//! The OpenAI API: what it sends, how it goes wrong, and that rules, gates and the log are the same.

use gemicro_sim::scenario::{Scenario, ScenarioEndpoint};
use serde_json::{Value, json};

use crate::client::{Answer, Ended, KEY, open, read, start, with};
use crate::golden::{check_faults, check_with};

const CHAT: &str = "/v1/chat/completions";
const BEARER: &[(&str, &str)] = &[("authorization", "Bearer sim-test-key-0123456789")];

const SCENARIO: &str = r#"
scenario: openai
models: [my-model]
rules:
  - when: { prompt_contains: think }
    reply: { thoughts: "Let me see.", text: "Seen.", usage: { cached: 3 } }
  - when: { prompt: "weather*" }
    reply:
      calls:
        - { name: get_weather, arguments: { city: Paris } }
        - { name: get_time }
  - when: { prompt_contains: json }
    reply: { persona: helper }
  - when: { chained: true, system_contains: brief }
    reply: { text: "And on: {{prompt}}" }
  - when: { endpoint: chat_completions }
    reply: { text: "You said: {{prompt}}", chunks: { sizes: [4, 9] } }
"#;

fn user(text: &str) -> Value {
    json!({"model": "llama3.2", "messages": [{"role": "user", "content": text}]})
}

async fn ask(addr: std::net::SocketAddr, method: &str, path: &str, body: &str) -> Answer {
    read(open(addr, method, path, body, BEARER).await).await
}

#[tokio::test]
async fn answers() {
    let usage = json!({"stream": true, "stream_options": {"include_usage": true}});
    let stream = json!({"stream": true});
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
    let schema = json!({"response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}});
    let object = json!({"response_format": {"type": "json_object"}});
    let turns = json!({"model": "my-model", "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": "two"},
        {"role": "user", "content": [{"type": "text", "text": "three"}, {"type": "image_url", "image_url": {"url": "data:"}}]},
    ]});
    let bodies = [
        with(user("hello"), json!({})),
        with(user("hello"), usage.clone()),
        with(user("hello"), stream.clone()),
        with(user("think"), json!({})),
        with(user("think"), usage),
        with(user("weather"), json!({})),
        with(user("weather"), stream),
        with(user("json"), schema),
        with(user("json"), object),
        with(turns, json!({})),
        with(user("hello"), json!({"max_tokens": 2})),
        with(
            user("hello"),
            json!({"max_completion_tokens": 3, "temperature": 0.5}),
        ),
    ];
    let asks: Vec<_> = bodies.iter().map(|body| ("POST", CHAT, body.as_str())).collect();
    check_with("openai_answers", SCENARIO, &asks, BEARER).await;
}

#[tokio::test]
async fn refusals_and_models() {
    let bodies = [
        "not json".to_owned(),
        json!({"messages": []}).to_string(),
        json!({"model": "llama3.2"}).to_string(),
        json!({"model": "llama3.2", "messages": []}).to_string(),
        json!({"model": "llama3.2", "messages": [{"role": "model", "content": "x"}]}).to_string(),
        json!({"model": "nobody", "messages": [{"role": "user", "content": "x"}]}).to_string(),
        with(user("x"), json!({"stream_options": {}})),
        with(user("x"), json!({"response_format": {"type": "xml"}})),
        with(user("x"), json!({"response_format": {"type": "json_schema"}})),
    ];
    let mut asks: Vec<_> = bodies.iter().map(|body| ("POST", CHAT, body.as_str())).collect();
    asks.extend([
        ("GET", "/v1/models", ""),
        ("GET", "/v1/models/my-model", ""),
        ("GET", "/v1/models/nobody", ""),
    ]);
    check_with("openai_refusals", SCENARIO, &asks, BEARER).await;
}

#[tokio::test]
async fn every_fault() {
    let plain = [
        "{ http: { status: 503, headers: { x-extra: yes } } }",
        "{ http: { status: 404, code: model_not_found, message: gone } }",
        "{ http: { status: 400, envelope: rpc } }",
    ];
    let spoilt = [
        "{ stream_error: { after_chunks: 1, code: internal, message: broke } }",
        "{ safety: {} }",
        "{ safety: { stage: answer, reason: RECITATION } }",
    ];
    check_faults("openai_faults", (CHAT, user("hello"), BEARER), &plain, &spoilt).await;
}

#[tokio::test]
async fn keys_gates_and_the_log() {
    let simulator = start("scenario: s\nrules:\n  - reply: { text: 'one two six', chunks: { sizes: [4] }, gate: { name: half, after_chunks: 1 } }\n").await;
    let addr = simulator.addr();
    for (headers, status) in [
        (&[][..], 200),
        (&[("authorization", "Bearer invalid")][..], 401),
        (BEARER, 200),
    ] {
        let answer = read(open(addr, "GET", "/v1/models", "", headers).await).await;
        assert_eq!(answer.status, status, "{headers:?}: {}", answer.body);
    }
    // The same path is Gemini's for whoever brings a key of Google.
    let gemini = crate::client::get(addr, "/v1/models").await;
    assert!(gemini.json()["models"].is_array(), "{}", gemini.body);

    let body = with(user(&format!("my key is {KEY}")), json!({"stream": true}));
    let waiting = tokio::spawn(async move { ask(addr, "POST", CHAT, &body).await });
    simulator.gates().wait_until_reached("half", 1).await;
    simulator.gates().open("half");
    let answer = waiting.await.unwrap();
    assert_eq!(answer.ended, Ended::Whole);
    assert!(answer.body.ends_with("data: [DONE]\n\n"), "{}", answer.body);
    assert_eq!(simulator.log().count(ScenarioEndpoint::ChatCompletions), 1);
    let entry = simulator.log().entries().pop().unwrap();
    assert_eq!(
        (entry.model.as_str(), entry.rule.as_deref()),
        ("llama3.2", Some("rule 1"))
    );
    assert!(!format!("{entry:?}").contains(KEY), "{entry:?}");
    simulator.shutdown().await;
}

#[tokio::test]
async fn rules_without_an_endpoint_are_for_chats_too() {
    let simulator = gemicro_sim::Simulator::start(Scenario::builtin("perfect").unwrap(), crate::client::ANY);
    let simulator = simulator.await.unwrap();
    let prompt = "Answer with JSON only: {\"answer\": \"…\", \"citations\": []}\n\nQuestion: How high is the tower of Berlin?\n\n<source>\n[3] a.md\nThe tower of Berlin is 368 metres high.\n</source>\n";
    let answer = ask(simulator.addr(), "POST", CHAT, &user(prompt).to_string()).await;
    let said = answer.json()["choices"][0]["message"]["content"].clone();
    assert!(
        said.as_str().is_some_and(|said| said.contains("368 metres")),
        "{said}"
    );
    simulator.shutdown().await;
}
