//! Every fault on every kind of endpoint.

use crate::golden::check;

const ASKED: &str = r#"{"model":"gemini-3.8-flash","input":"hello"}"#;
const STREAMED: &str = r#"{"model":"gemini-3.8-flash","input":"hello","stream":true}"#;
const CONTENT: &str = r#"{"contents":[{"parts":[{"text":"hello"}]}]}"#;

/// The fault on a buffered and a streamed interaction and on both forms of generateContent.
async fn fault(name: &str, rule: &str) {
    let scenario = format!("scenario: {name}\nrules:\n{rule}");
    let asks = [
        ("POST", "/v1beta/interactions", ASKED),
        ("POST", "/v1beta/interactions", STREAMED),
        ("POST", "/v1beta/models/gemini-3.8-flash:generateContent", CONTENT),
        (
            "POST",
            "/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse",
            CONTENT,
        ),
    ];
    check(&format!("fault_{name}"), &scenario, &asks).await;
}

/// A rule whose reply comes in three pieces.
fn spoilt(fault: &str) -> String {
    format!("  - reply: {{ text: 'one two six', chunks: {{ sizes: [4] }} }}\n    fault: {fault}\n")
}

#[tokio::test]
async fn http_errors() {
    fault(
        "http",
        "  - fault: { http: { status: 503, headers: { x-extra: yes } } }\n",
    )
    .await;
    fault("http_swapped", "  - when: { endpoint: interactions }\n    fault: { http: { status: 409, envelope: rpc, message: busy } }\n  - fault: { http: { status: 500, envelope: interactions, code: strange } }\n").await;
    fault("html", "  - fault: { html: {} }\n").await;
}

#[tokio::test]
async fn quotas() {
    fault("rate_limit", "  - fault: { rate_limit: { seconds: 1.5 } }\n").await;
    fault(
        "rate_limit_quiet",
        "  - fault: { rate_limit: { announce: nowhere } }\n",
    )
    .await;
    fault("daily_quota", "  - fault: { daily_quota: {} }\n").await;
}

#[tokio::test]
async fn broken_connections() {
    fault("cut", &spoilt("{ cut: { after_chunks: 2 } }")).await;
    fault("cut_clean", &spoilt("{ cut: { clean: true } }")).await;
}

#[tokio::test]
async fn silent_connections() {
    let scenario = format!(
        "scenario: hang\nrules:\n{}",
        spoilt("{ hang: { after_chunks: 1 } }")
    );
    let asks = [
        ("POST", "/v1beta/interactions", STREAMED),
        (
            "POST",
            "/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse",
            CONTENT,
        ),
    ];
    check("fault_hang", &scenario, &asks).await;
}

#[tokio::test]
async fn bad_answers() {
    fault("garbage", &spoilt("garbage")).await;
    fault("empty", &spoilt("empty")).await;
    fault("content_type", &spoilt("{ content_type: text/html }")).await;
    fault("noise", &spoilt("noise")).await;
    fault("max_tokens", &spoilt("{ max_tokens: { keep: 1 } }")).await;
    fault("max_tokens_none", &spoilt("{ max_tokens: {} }")).await;
    fault(
        "stream_error",
        &spoilt("{ stream_error: { after_chunks: 1, code: internal, message: broke } }"),
    )
    .await;
}

#[tokio::test]
async fn blocks() {
    fault("safety_prompt", "  - fault: { safety: {} }\n").await;
    fault(
        "safety_answer",
        "  - fault: { safety: { stage: answer, reason: RECITATION } }\n",
    )
    .await;
}

#[tokio::test]
async fn how_often() {
    let asks: Vec<_> = (0..6).map(|_| ("POST", "/v1beta/interactions", ASKED)).collect();
    let scenario = "scenario: often\nrules:\n  - { name: third, call: 3, reply: { text: third } }\n  - { name: even, every: 2, fault: { http: { status: 500 } } }\n  - { name: twice, times: 2, reply: { text: twice } }\n";
    check("how_often", scenario, &asks).await;
}

#[tokio::test]
async fn other_endpoints() {
    let scenario = "scenario: others\nrules:\n  - { when: { endpoint: models }, times: 1, fault: { http: { status: 500 } } }\n  - { when: { endpoint: count_tokens }, fault: garbage }\n  - { when: { endpoint: [get_interaction, cancel_interaction] }, times: 2, fault: { html: {} } }\n  - { reply: { status: budget_exceeded } }\n";
    let asks = [
        ("GET", "/v1/models/gemini-3.8-flash", ""),
        ("GET", "/v1/models/gemini-3.8-flash", ""),
        ("POST", "/v1/models/gemini-3.8-flash:countTokens", CONTENT),
        ("POST", "/v1/interactions", ASKED),
        ("GET", "/v1/interactions/v1_sim000001", ""),
        ("POST", "/v1/interactions/v1_sim000001/cancel", "{}"),
        ("POST", "/v1/interactions/v1_sim000001/cancel", "{}"),
    ];
    check("other_endpoints", scenario, &asks).await;
}
