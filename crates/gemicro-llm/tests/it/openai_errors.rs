//! The OpenAI-compatible backend: refusals, and what servers do instead of answering.

use gemicro_core::flow::AttemptCost;
use gemicro_core::llm::{AnswerDelivery, LlmBackend, LlmRequest};
use gemicro_event::{ErrorKind, Json};
use gemicro_llm::{OpenAiBackend, OpenAiConfig};
use serde_json::json;

use crate::gemini_world::hear;
use crate::openai_world::{DELIVERIES, KEY, World, ask, ask_json, backend, from_raw};
use crate::raw_server::{Act, RawServer, response};

#[tokio::test]
async fn refused_fields_are_given_up_once() {
    let refuse = |words: &str| {
        format!("  - {{ times: 1, fault: {{ http: {{ status: 400, message: \"{words}\" }} }} }}\n")
    };
    let rules = [
        refuse(
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        ),
        refuse("Unknown field: stream_options"),
        refuse("'response_format.type' must be 'text'"),
        "  - { reply: { json: { n: 3 } } }".to_owned(),
    ];
    let world = World::new(&rules.concat()).await;
    let heard = world.call(ask_json(AnswerDelivery::Streamed)).await;
    assert_eq!(heard.text, r#"{"n":3}"#, "{heard:?}");
    let bodies = world.bodies();
    let has = |n: usize, field: &str| bodies[n].get(field).is_some();
    assert_eq!(bodies.len(), 4);
    assert!(has(0, "max_tokens") && has(0, "stream_options") && has(0, "response_format"));
    assert!(!has(1, "max_tokens") && bodies[1]["max_completion_tokens"] == 1_000);
    assert!(!has(2, "stream_options") && has(2, "response_format"));
    assert!(!has(3, "response_format") && !has(3, "max_tokens"));

    // A refusal that goes on is told.
    let world = World::new("  - fault: { http: { status: 400, message: 'response_format is bad' } }").await;
    let heard = world.call(ask_json(AnswerDelivery::Buffered)).await;
    assert_eq!(
        (heard.kind(), heard.spent()),
        (ErrorKind::InvalidInput, AttemptCost::Nothing)
    );
    assert_eq!(world.bodies().len(), 2);
    // One about something else is not asked again.
    let world =
        World::new("  - fault: { http: { status: 400, message: 'maximum context length is 4096' } }").await;
    let heard = world.call(ask_json(AnswerDelivery::Streamed)).await;
    assert_eq!(heard.kind(), ErrorKind::InvalidInput);
    assert!(
        heard.message().contains("maximum context length is 4096"),
        "{}",
        heard.message()
    );
    assert_eq!(world.bodies().len(), 1);
}

#[tokio::test]
async fn refusals_have_their_kinds() {
    let fault = |status: u16, more: &str| format!("{{ http: {{ status: {status}{more} }} }}");
    let cases = [
        (
            fault(401, ""),
            ErrorKind::AuthFailed,
            AttemptCost::Nothing,
            "refused the API key",
        ),
        (
            fault(403, ""),
            ErrorKind::AuthFailed,
            AttemptCost::Nothing,
            "HTTP 403",
        ),
        (
            fault(404, ", message: 'model \"x\" not found, try pulling it first'"),
            ErrorKind::UnknownModel,
            AttemptCost::Nothing,
            "model \"x\" not found, try pulling it first",
        ),
        (
            fault(404, ", message: 'Not Found'"),
            ErrorKind::UpstreamError,
            AttemptCost::Nothing,
            "does not speak the OpenAI API",
        ),
        (
            fault(422, ", message: 'no'"),
            ErrorKind::InvalidInput,
            AttemptCost::Nothing,
            "HTTP 422: no",
        ),
        (
            "{ daily_quota: {} }".to_owned(),
            ErrorKind::QuotaExhausted,
            AttemptCost::Nothing,
            "quota",
        ),
        (
            fault(500, ""),
            ErrorKind::UpstreamError,
            AttemptCost::Nothing,
            "HTTP 500",
        ),
        (
            fault(503, ", message: Loading model"),
            ErrorKind::UpstreamError,
            AttemptCost::Nothing,
            "Loading model",
        ),
        (
            "{ html: { status: 502 } }".to_owned(),
            ErrorKind::UpstreamError,
            AttemptCost::Nothing,
            "502",
        ),
        (
            "{ safety: {} }".to_owned(),
            ErrorKind::InvalidInput,
            AttemptCost::Nothing,
            "was blocked",
        ),
    ];
    for (fault, kind, spent, words) in cases {
        let world = World::new(&format!("  - fault: {fault}")).await;
        for delivery in [AnswerDelivery::Streamed, AnswerDelivery::Buffered] {
            let heard = world.call(ask(delivery)).await;
            assert_eq!((heard.kind(), heard.spent()), (kind, spent), "{fault}: {heard:?}");
            assert!(heard.message().contains(words), "{}", heard.message());
            assert!(heard.message().contains("127.0.0.1:"), "{}", heard.message());
        }
    }
    let world = World::new("  - fault: { rate_limit: { seconds: 7 } }").await;
    let heard = world.call(ask(AnswerDelivery::Streamed)).await;
    assert_eq!(
        (heard.kind(), heard.spent()),
        (ErrorKind::RateLimited, AttemptCost::Nothing)
    );
    assert_eq!(heard.failed().failure.retry_after_ms, Some(7_000));
    let unknown = LlmRequest {
        model: "nobody-knows".to_owned(),
        ..ask(AnswerDelivery::Streamed)
    };
    let world = World::new("  - reply: {}").await;
    assert_eq!(world.call(unknown).await.kind(), ErrorKind::UnknownModel);
}

#[tokio::test]
async fn failures_in_the_middle_are_upstream_errors() {
    let world = World::new(
        "  - reply: { text: 'one two six', chunks: { sizes: [4] } }\n    fault: { stream_error: { after_chunks: 1, message: it broke } }",
    )
    .await;
    let heard = world.call(ask(AnswerDelivery::Streamed)).await;
    assert_eq!(heard.text, "one ");
    heard.assert_lost(ErrorKind::UpstreamError);
    assert!(heard.message().contains("it broke"), "{}", heard.message());
    let limited = r#"{"error":{"code":429,"message":"slow down"}}"#;
    let heard = from_raw(response("200 OK", "application/json", limited)).await;
    heard.assert_lost(ErrorKind::RateLimited);
}

#[tokio::test]
async fn what_is_no_answer_is_named_with_its_host() {
    for (content_type, body) in [
        ("text/html", "<!DOCTYPE html><title>Welcome</title>"),
        ("text/plain", "Ollama is running"),
        ("application/json", r#"{"hello":1}"#),
        ("application/json", "{not json}"),
        (
            "text/event-stream",
            "data: {\"choices\":[{\"delta\":\n\ndata: <<<\n\n",
        ),
    ] {
        let heard = from_raw(response("200 OK", content_type, body)).await;
        heard.assert_lost(ErrorKind::MalformedOutput);
        let message = heard.message();
        assert!(
            message.contains("the endpoint at 127.0.0.1:")
                && message.contains("does not speak the OpenAI API"),
            "{message}"
        );
    }
    let world = World::new("  - fault: garbage").await;
    for delivery in DELIVERIES {
        world
            .call(ask(delivery))
            .await
            .assert_lost(ErrorKind::MalformedOutput);
    }
    let moved = response("302 Found\r\nlocation: http://127.0.0.1:1/", "text/html", "");
    let heard = from_raw(moved).await;
    assert_eq!(heard.kind(), ErrorKind::UpstreamError);
    assert!(heard.message().contains("HTTP 302"), "{}", heard.message());
}

#[tokio::test]
async fn answers_and_errors_are_read_within_bounds() {
    let head = |status: &str, kind: &str, start: &str| {
        let head = format!("HTTP/1.1 {status}\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n{start}");
        Act::Say(head.into_bytes())
    };
    for (kind, start, more) in [
        ("application/json", "{\"x\":\"", "x".repeat(1 << 20)),
        ("text/event-stream", "data: ", "x".repeat(1 << 20)),
        ("text/event-stream", "", format!(": {}\n", "x".repeat(1 << 20))),
    ] {
        let heard = from_raw(vec![head("200 OK", kind, start), Act::Flood(more.into_bytes())]).await;
        heard.assert_lost(ErrorKind::MalformedOutput);
        assert!(
            heard.message().contains("larger than 32 MiB"),
            "{}",
            heard.message()
        );
    }
    let heard = from_raw(vec![
        head("500 Oh", "text/plain", ""),
        Act::Flood(b"word ".repeat(1000)),
    ])
    .await;
    assert_eq!(heard.kind(), ErrorKind::UpstreamError);
    assert!(heard.message().len() < 500, "{}", heard.message());
}

#[tokio::test]
async fn no_server_listens() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let addr = listener.local_addr().expect("an address");
    drop(listener);
    let backend = backend(&format!("http://{addr}"));
    let heard = hear(backend.stream(ask(AnswerDelivery::Streamed), None)).await;
    assert_eq!(
        (heard.kind(), heard.spent()),
        (ErrorKind::UpstreamError, AttemptCost::Nothing)
    );
    assert_eq!(
        heard.message(),
        format!("cannot reach {addr}: is the server running?")
    );
    let failure = backend.models().await.expect_err("nobody listens");
    assert_eq!(failure.kind, ErrorKind::UpstreamError);
}

#[tokio::test]
async fn the_key_is_sent_and_never_reported() {
    let quoting = format!(r#"{{"error":{{"message":"bad key {KEY}","code":"{KEY}"}}}}"#);
    let server = RawServer::start(vec![response("401 No", "application/json", &quoting)]).await;
    let backend = backend(&server.url());
    let heard = hear(backend.stream(ask(AnswerDelivery::Streamed), None)).await;
    assert_eq!(heard.kind(), ErrorKind::AuthFailed);
    let head = server.heads().join("\n").to_lowercase();
    assert!(
        head.contains(&format!("authorization: bearer {KEY}").to_lowercase()),
        "{head}"
    );
    assert!(head.starts_with("post /v1/chat/completions "), "{head}");
    assert!(!format!("{heard:?}{backend:?}").contains(KEY), "{heard:?}");

    let config = OpenAiConfig {
        base_url: server.url(),
        api_key: None,
    };
    let keyless = OpenAiBackend::new(config).expect("an address");
    let heard = hear(keyless.stream(ask(AnswerDelivery::Streamed), None)).await;
    assert!(
        heard.message().contains("asks for an API key"),
        "{}",
        heard.message()
    );
    assert!(!server.heads()[1].to_lowercase().contains("authorization"));
}

#[tokio::test]
async fn nothing_can_be_picked_up() {
    let world = World::new("  - reply: {}").await;
    let handle = Json::from(json!({"interaction": "x"}));
    let heard = hear(world.backend.stream(ask(AnswerDelivery::Streamed), Some(handle))).await;
    heard.assert_lost(ErrorKind::SessionNotFound);
    assert!(world.bodies().is_empty());
}

#[test]
fn wrong_settings_are_reported_at_once() {
    for base_url in ["", "localhost:11434", "ftp://x"] {
        let config = OpenAiConfig {
            base_url: base_url.to_owned(),
            api_key: None,
        };
        let failure = OpenAiBackend::new(config).expect_err("no address");
        assert_eq!(failure.kind, ErrorKind::InvalidInput, "{base_url}");
    }
    let config = OpenAiConfig {
        base_url: "http://127.0.0.1".to_owned(),
        api_key: Some("a\nb".to_owned()),
    };
    let failure = OpenAiBackend::new(config).expect_err("no key");
    assert_eq!(failure.kind, ErrorKind::AuthFailed);
}
