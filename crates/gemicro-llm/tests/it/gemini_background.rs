//! Work that goes on at the provider while we look at it from time to time.

use std::time::{Duration, Instant};

use futures_util::StreamExt;
use gemicro_core::llm::{AnswerDelivery, FinishReason, LlmBackend, LlmChunk, LlmRequest};
use gemicro_event::ErrorKind;
use gemicro_sim::scenario::ScenarioEndpoint;
use serde_json::json;

use crate::gemini_world::{World, backend, delivered, handle, handle_at, hear};
use crate::raw_server::{Act, RawServer, response};

const AGENT: &str = "deep-research-preview-04-2026";

#[tokio::test]
async fn background_work_gives_its_handle_at_once_and_is_looked_at() {
    let rules = "  - { reply: { text: 'the report', delay: { first_ms: 150 } } }";
    let world = World::new(rules).await;
    let heard = world.call(delivered("x", AnswerDelivery::Background)).await;
    assert_eq!((heard.text.as_str(), heard.n_texts), ("the report", 1));
    assert_eq!(heard.handles, [handle_at("v1_sim000001", &world.simulator.url())]);
    assert_eq!(heard.finish(), &FinishReason::Stop);
    assert!(heard.n_alive >= 2 && heard.end().usage.is_some());
    assert_eq!(heard.n_alive + 1, world.n_looks());
    let body = world.first_body();
    assert_eq!(
        (&body["background"], &body["store"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(body.get("stream"), None);
}

#[tokio::test]
async fn agents_are_asked_as_agents() {
    let world = World::new("  - reply: { text: 'found [[it|https://example.com/a|A]]' }").await;
    let asked = LlmRequest {
        model: AGENT.to_owned(),
        system: Some("Be thorough.".to_owned()),
        schema: Some(gemicro_event::Json::from(json!({"type": "object"}))),
        temperature: Some(1.0),
        ..delivered("Find it.", AnswerDelivery::Streamed)
    };
    let heard = world.call(asked).await;
    assert_eq!(
        (heard.text.as_str(), heard.finish()),
        ("found it", &FinishReason::Stop)
    );
    assert_eq!(heard.end().annotations[0].range, 6..8);
    let body = json!({
        "agent": AGENT,
        "agent_config": {"type": "deep-research", "thinking_summaries": "auto"},
        "input": "Be thorough.\n\nFind it.",
        "background": true,
        "store": true,
    });
    assert_eq!(world.first_body(), body);
}

#[tokio::test]
async fn cancelling_ends_the_work_at_the_provider() {
    let world = World::new("  - fault: { hang: { after_chunks: 0 } }").await;
    let mut chunks = world
        .backend
        .stream(delivered("x", AnswerDelivery::Background), None);
    let Some(Ok(LlmChunk::Handle(handle))) = chunks.next().await else {
        panic!("the handle comes first");
    };
    assert_eq!(chunks.next().await, Some(Ok(LlmChunk::Alive)));
    world.backend.cancel(handle).await;
    let heard = hear(chunks).await;
    assert_eq!(heard.kind(), ErrorKind::UpstreamError);
    assert!(heard.message().contains("cancelled"), "{}", heard.message());
    assert_eq!(
        world.simulator.log().count(ScenarioEndpoint::CancelInteraction),
        1
    );
}

#[tokio::test]
async fn cancelling_is_bounded_and_never_fails() {
    let server = RawServer::start(vec![vec![Act::Hang]]).await;
    let backend = backend(&server.url());
    let started = Instant::now();
    backend.cancel(handle("v1_a")).await;
    assert!(started.elapsed() < Duration::from_secs(4));
    assert_eq!(
        server.requests(),
        ["POST /v1beta/interactions/v1_a/cancel HTTP/1.1"]
    );
    backend.cancel(handle("")).await;
    backend.cancel(gemicro_event::Json::empty()).await;
    assert_eq!(server.requests().len(), 1);
    // A foreground interaction cannot be cancelled; the refusal is nobody's trouble.
    let world = World::new("  - reply: { text: done }").await;
    world.call(delivered("x", AnswerDelivery::Buffered)).await;
    world.backend.cancel(handle("v1_sim000001")).await;
    world.backend.cancel(handle("v1_gone")).await;
}

#[tokio::test]
async fn a_buffered_call_that_is_not_done_is_waited_for() {
    let queued = r#"{"id":"v1_a","object":"interaction","status":"queued"}"#;
    let done = r#"{"id":"v1_a","status":"completed","steps":[{"type":"model_output","content":[{"type":"text","text":"ok"}]}]}"#;
    let json = |body| response("200 OK", "application/json", body);
    let server = RawServer::start(vec![json(queued), json(queued), json(done)]).await;
    let heard = hear(backend(&server.url()).stream(delivered("x", AnswerDelivery::Buffered), None)).await;
    assert_eq!((heard.text.as_str(), heard.finish()), ("ok", &FinishReason::Stop));
    assert_eq!(
        (heard.handles, heard.n_alive),
        (vec![handle_at("v1_a", &server.url())], 1)
    );
}

#[tokio::test]
async fn a_look_may_fail_now_and_then() {
    let rules = "  - { when: { endpoint: get_interaction }, times: 3, fault: { http: { status: 503 } } }\n  - { reply: { text: late, delay: { first_ms: 100 } } }";
    let world = World::new(rules).await;
    let heard = world.call(delivered("x", AnswerDelivery::Background)).await;
    assert_eq!(
        (heard.text.as_str(), heard.finish()),
        ("late", &FinishReason::Stop)
    );

    let rules = "  - { when: { endpoint: get_interaction }, fault: { http: { status: 503 } } }\n  - reply: { text: never }";
    let world = World::new(rules).await;
    let heard = world.call(delivered("x", AnswerDelivery::Background)).await;
    heard.assert_lost(ErrorKind::UpstreamError);
    assert_eq!((world.n_created(), world.n_looks()), (1, 4));
}

#[tokio::test]
async fn background_failures_are_reported() {
    let rules =
        "  - { reply: { text: x }, fault: { stream_error: { code: quota_exceeded, message: 'no more' } } }";
    let world = World::new(rules).await;
    let heard = world.call(delivered("x", AnswerDelivery::Background)).await;
    assert_eq!(heard.kind(), ErrorKind::QuotaExhausted);
    assert!(heard.message().contains("no more"));
}

#[tokio::test]
async fn an_interaction_that_vanishes_is_a_lost_session() {
    let rules = "  - { when: { endpoint: get_interaction }, call: 2, fault: { http: { status: 404, code: not_found } } }\n  - fault: { hang: { after_chunks: 0 } }";
    let world = World::new(rules).await;
    let heard = world.call(delivered("x", AnswerDelivery::Background)).await;
    heard.assert_lost(ErrorKind::SessionNotFound);
}
