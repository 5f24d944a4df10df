//! What every endpoint sends when all is well, and what it refuses.

use crate::client::{KEY, open, read, start};
use crate::golden::check;

const SCENARIO: &str = r#"
scenario: wire
rules:
  - when: { prompt_contains: think }
    reply: { thoughts: "Let me see: {{prompt}}", text: "Seen.", usage: { cached: 3 } }
  - when: { prompt_contains: search }
    reply:
      search: { queries: ["about {{prompt}}"] }
      text: "Ü: [[one fact|https://example.com/1|One]] and [[another|https://example.com/2]]."
  - when: { prompt: "weather*" }
    reply:
      calls:
        - { name: get_weather, arguments: { city: Paris, days: 2 } }
        - { name: get_time }
  - when: { prompt_contains: sunny }
    reply: { text: "It is sunny." }
  - reply: { text: "You said: {{prompt}}", chunks: { sizes: [4, 9] } }
"#;

const FLASH: &str = "gemini-3.8-flash";

#[tokio::test]
async fn interactions_buffered() {
    let asks = [
        (
            "POST",
            "/v1beta/interactions",
            r#"{"model":"gemini-3.8-flash","input":"hello","system_instruction":"Be brief.","labels":{"a":"b"}}"#,
        ),
        ("GET", "/v1beta/interactions/v1_sim000001", ""),
        ("GET", "/v1beta/interactions/v1_sim000001?include_input=true", ""),
        (
            "POST",
            "/v1/interactions",
            r#"{"model":"models/gemini-3.8-flash","input":[{"type":"text","text":"again"}],"previous_interaction_id":"v1_sim000001"}"#,
        ),
        (
            "POST",
            "/v1/interactions",
            r#"{"model":"gemini-3.8-flash","input":"secret","store":false}"#,
        ),
        (
            "POST",
            "/v1/interactions",
            r#"{"model":"gemini-3.8-flash","input":"think","generation_config":{"thinking_summaries":"auto"}}"#,
        ),
        (
            "POST",
            "/v1/interactions",
            r#"{"model":"gemini-3.8-flash","input":"search","tools":[{"type":"google_search"}]}"#,
        ),
        ("DELETE", "/v1beta/interactions/v1_sim000001", ""),
        ("GET", "/v1beta/interactions/v1_sim000001", ""),
    ];
    check("interactions_buffered", SCENARIO, &asks).await;
}

#[tokio::test]
async fn interactions_streamed() {
    let asks = [
        (
            "POST",
            "/v1beta/interactions",
            r#"{"model":"gemini-3.8-flash","input":"hello","stream":true}"#,
        ),
        ("GET", "/v1beta/interactions/v1_sim000001?stream=true", ""),
        (
            "GET",
            "/v1beta/interactions/v1_sim000001?stream=true&last_event_id=4",
            "",
        ),
        (
            "GET",
            "/v1beta/interactions/v1_sim000001?stream=true&last_event_id=none",
            "",
        ),
        (
            "POST",
            "/v1beta/interactions",
            r#"{"model":"gemini-3.8-flash","input":"think","stream":true,"generation_config":{"thinking_summaries":"auto"}}"#,
        ),
        (
            "POST",
            "/v1beta/interactions",
            r#"{"model":"gemini-3.8-flash","input":"search","stream":true}"#,
        ),
        (
            "POST",
            "/v1beta/interactions",
            r#"{"model":"gemini-3.8-flash","input":"weather","stream":true,"store":false}"#,
        ),
    ];
    check("interactions_streamed", SCENARIO, &asks).await;
}

#[tokio::test]
async fn interactions_functions() {
    let asks = [
        (
            "POST",
            "/v1beta/interactions",
            r#"{"model":"gemini-3.8-flash","input":"weather?","tools":[{"type":"function","name":"get_weather","parameters":{}}]}"#,
        ),
        (
            "POST",
            "/v1beta/interactions",
            r#"{"model":"gemini-3.8-flash","previous_interaction_id":"v1_sim000001","input":"and now?"}"#,
        ),
        (
            "POST",
            "/v1beta/interactions",
            r#"{"model":"gemini-3.8-flash","previous_interaction_id":"v1_sim000001","input":[{"type":"function_result","call_id":"other","result":"x"}]}"#,
        ),
        (
            "POST",
            "/v1beta/interactions",
            r#"{"model":"gemini-3.8-flash","previous_interaction_id":"v1_sim000001","input":[{"type":"function_result","call_id":"call_1_0","name":"get_weather","result":{"sky":"sunny"}},{"type":"function_result","call_id":"call_1_1","result":"noon"}]}"#,
        ),
        (
            "POST",
            "/v1beta/interactions",
            r#"{"model":"gemini-3.8-flash","store":false,"input":[{"type":"user_input","content":[{"type":"text","text":"weather"}]},{"type":"function_call","id":"a","name":"f","arguments":{}},{"type":"function_result","call_id":"a","result":"x"}]}"#,
        ),
        (
            "POST",
            "/v1beta/interactions",
            r#"{"model":"gemini-3.8-flash","store":false,"input":[{"type":"user_input","content":[{"type":"text","text":"weather"}]},{"type":"function_call","id":"a","name":"f","arguments":{},"signature":"s"},{"type":"function_result","call_id":"a","result":"sunny"}]}"#,
        ),
    ];
    check("interactions_functions", SCENARIO, &asks).await;
}

#[tokio::test]
async fn interactions_refused() {
    let bodies = [
        "not json",
        "[]",
        r#"{"input":"x"}"#,
        r#"{"model":"gemini-3.8-flash","agent":"deep-research-preview-04-2026","input":"x"}"#,
        r#"{"model":"gemini-9","input":"x"}"#,
        r#"{"agent":"nobody","input":"x"}"#,
        r#"{"agent":"deep-research-preview-04-2026","input":"x"}"#,
        r#"{"agent":"antigravity-preview-09-2026","input":"x","background":true}"#,
        r#"{"model":"gemini-3.8-flash"}"#,
        r#"{"model":"gemini-3.8-flash","input":[]}"#,
        r#"{"model":"gemini-3.8-flash","input":"x","cached_content":"c"}"#,
        r#"{"model":"gemini-3.8-flash","input":"x","top_k":3}"#,
        r#"{"model":"gemini-3.8-flash","input":"x","generation_config":{"thinking_budget":3}}"#,
        r#"{"model":"gemini-3.8-flash","input":"x","generation_config":{"thinking_level":"minimal"}}"#,
        r#"{"model":"gemini-3.8-flash","input":"x","service_tier":"deferred"}"#,
        r#"{"model":"gemini-3.8-flash","input":"x","tools":[{"type":"x"}]}"#,
        r#"{"model":"gemini-3.8-flash","input":"x","tools":[{"type":"google_search","x":1}]}"#,
        r#"{"model":"gemini-3.8-flash","input":"x","labels":{"A":"b"}}"#,
        r#"{"model":"gemini-3.8-flash","input":[{"role":"user","content":"x"}]}"#,
        r#"{"model":"gemini-3.8-flash","input":[{"type":"turn"}]}"#,
        r#"{"model":"gemini-3.8-flash","input":"x","background":true,"store":false}"#,
        r#"{"model":"gemini-3.8-flash","input":"x","previous_interaction_id":"v1_none"}"#,
        r#"{"model":"gemini-flash-latest","input":"x"}"#,
    ];
    let asks: Vec<_> = bodies
        .iter()
        .map(|body| ("POST", "/v1/interactions", *body))
        .collect();
    check("interactions_refused", SCENARIO, &asks).await;
}

#[tokio::test]
async fn contents() {
    let hello = r#"{"contents":[{"role":"user","parts":[{"text":"hello"}]}],"systemInstruction":{"parts":[{"text":"Be brief."}]}}"#;
    let asks = [
        ("POST", "/v1beta/models/gemini-3.8-flash:generateContent", hello),
        (
            "POST",
            "/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse",
            hello,
        ),
        (
            "POST",
            "/v1beta/models/gemini-3.8-flash:streamGenerateContent",
            hello,
        ),
        ("POST", "/v1beta/models/gemini-3.8-flash:countTokens", hello),
        (
            "POST",
            "/v1/models/gemini-3.8-flash:countTokens",
            r#"{"generateContentRequest":{"model":"models/gemini-3.8-flash","contents":[{"parts":[{"text":"hello"}]}]}}"#,
        ),
        (
            "POST",
            "/v1/models/gemini-3.8-flash:generateContent",
            r#"{"contents":[{"parts":[{"text":"think"}]}],"generationConfig":{"thinkingConfig":{"includeThoughts":true}}}"#,
        ),
        (
            "POST",
            "/v1/models/gemini-3.8-flash:generateContent",
            r#"{"contents":[{"parts":[{"text":"search"}]}],"tools":[{"googleSearch":{}}]}"#,
        ),
        (
            "POST",
            "/v1/models/gemini-3.8-flash:generateContent",
            r#"{"contents":[{"parts":[{"text":"weather"}]}]}"#,
        ),
        (
            "POST",
            "/v1/models/gemini-3.8-flash:generateContent",
            r#"{"contents":[{"parts":[{"text":"weather"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"sky":"sunny"}}}]}]}"#,
        ),
        (
            "POST",
            "/v1/models/gemini-3.8-flash:generateContent",
            r#"{"contents":[{"parts":[{"text":"a long answer"}]}],"generationConfig":{"maxOutputTokens":2}}"#,
        ),
        ("POST", "/v1/models/gemini-9:generateContent", hello),
        (
            "POST",
            "/v1/models/gemini-3.8-flash:generateContent",
            r#"{"contents":[]}"#,
        ),
        (
            "POST",
            "/v1/models/gemini-3.8-flash:generateContent",
            r#"{"content":[]}"#,
        ),
        ("POST", "/v1/models/gemini-3.8-flash:explode", hello),
        ("GET", "/v2/models", ""),
    ];
    check("contents", SCENARIO, &asks).await;
}

#[tokio::test]
async fn models() {
    let asks = [
        ("GET", "/v1/models?pageSize=2", ""),
        ("GET", "/v1/models?pageSize=1&pageToken=13", ""),
        ("GET", "/v1beta/models/gemini-flash-latest", ""),
        ("GET", "/v1/models/gemini-flash-latest", ""),
    ];
    check("models", SCENARIO, &asks).await;
}

#[tokio::test]
async fn default_scenario() {
    let schema = r#"{"model":"gemini-3.8-flash","input":"json please","response_format":{"type":"text","mime_type":"application/json","schema":{"type":"object","properties":{"n":{"type":"integer","minimum":1},"tags":{"type":"array","items":{"type":"string"},"minItems":1}},"required":["n","tags"]}}}"#;
    let asks = [
        (
            "POST",
            "/v1beta/interactions",
            r#"{"model":"gemini-3.8-flash","input":"hello"}"#,
        ),
        ("POST", "/v1beta/interactions", schema),
        (
            "POST",
            "/v1beta/interactions",
            r#"{"model":"gemini-3.8-flash","input":"hello world","generation_config":{"max_output_tokens":3}}"#,
        ),
    ];
    let scenario = gemicro_sim::scenario::BUILTIN
        .iter()
        .find(|(name, _)| *name == "default")
        .unwrap()
        .1;
    check("default_scenario", scenario, &asks).await;
}

/// Path, headers, status, a part of the body.
type KeyCase<'a> = (&'a str, &'a [(&'a str, &'a str)], u16, &'a str);

#[tokio::test]
async fn keys() {
    let simulator = start(SCENARIO).await;
    let path = format!("/v1beta/models/{FLASH}");
    let cases: &[KeyCase<'_>] = &[
        ("/v1beta/interactions/x", &[], 401, r#""code":"authentication""#),
        (&path, &[], 403, r#""status":"PERMISSION_DENIED""#),
        (
            &path,
            &[("x-goog-api-key", "invalid")],
            400,
            r#""reason":"API_KEY_INVALID""#,
        ),
        (
            "/v1beta/interactions/x",
            &[("x-goog-api-key", "invalid")],
            400,
            r#""code":"invalid_request""#,
        ),
        (&path, &[("x-goog-api-key", KEY)], 200, FLASH),
        (&path, &[("authorization", "Bearer abc")], 200, FLASH),
    ];
    for (path, headers, status, part) in cases {
        let answer = read(open(simulator.addr(), "GET", path, "", headers).await).await;
        assert_eq!(answer.status, *status, "{path} {headers:?}");
        assert!(answer.body.contains(part), "{path}: {}", answer.body);
    }
    let body = format!(r#"{{"model":"{FLASH}","input":"my key is {KEY}"}}"#);
    crate::client::ask(
        simulator.addr(),
        "POST",
        &format!("/v1/interactions?key={KEY}"),
        &body,
    )
    .await;
    let log = crate::client::get(simulator.addr(), "/_sim/log").await;
    assert!(!log.body.contains(KEY), "{}", log.body);
    assert_eq!(log.json()["entries"].as_array().unwrap().len(), 7);
    assert_eq!(log.json()["entries"][6]["rule"], "rule 5");
    assert_eq!(log.json()["rules"]["rule 5"], 1);
    simulator.shutdown().await;
}
