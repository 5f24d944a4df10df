//! Calls taken up by their handle after this program died: never a second POST.

use futures_util::StreamExt;
use gemicro_core::flow::AttemptCost;
use gemicro_core::llm::{AnswerDelivery, FinishReason, LlmBackend, LlmChunk};
use gemicro_event::{ErrorKind, Json};
use serde_json::json;

use crate::gateway_world::{client, until};
use crate::gemini_world::{KEY, World, backend, delivered, handle, hear, request};
use crate::raw_server::{RawServer, response};

/// Starts a call and drops it as soon as it has a handle.
async fn crashed(world: &World, delivery: AnswerDelivery) -> Json {
    let mut chunks = world.backend.stream(delivered("x", delivery), None);
    loop {
        match chunks.next().await {
            Some(Ok(LlmChunk::Handle(handle))) => return handle,
            Some(Ok(_)) => {}
            other => panic!("no handle: {other:?}"),
        }
    }
}

/// Asks the provider until the call is over.
async fn until_ended(world: &World, handle: &Json) {
    let id = handle["interaction"].as_str().expect("an id");
    let url = format!("{}/v1beta/interactions/{id}", world.simulator.url());
    loop {
        let asked = client().get(&url).header("x-goog-api-key", KEY).send();
        let interaction: serde_json::Value = asked.await.expect("sent").json().await.expect("JSON");
        if interaction["status"].as_str().expect("a status") != "in_progress" {
            return;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_call_that_ended_meanwhile_is_replayed() {
    let world =
        World::new("  - reply: { text: 'one [[two|https://example.com|T]]', usage: { input: 4 } }").await;
    for delivery in [AnswerDelivery::Streamed, AnswerDelivery::Background] {
        let handle = crashed(&world, delivery).await;
        until_ended(&world, &handle).await;
        let before = (world.n_created(), world.n_looks());
        let heard = hear(world.backend.stream(delivered("x", delivery), Some(handle))).await;
        assert_eq!(
            (heard.text.as_str(), heard.finish()),
            ("one two", &FinishReason::Stop)
        );
        assert_eq!(heard.end().annotations[0].range, 4..7);
        assert_eq!(heard.end().usage.unwrap().input_tokens, 4);
        assert_eq!((world.n_created(), world.n_looks()), (before.0, before.1 + 1));
    }
}

#[tokio::test]
async fn a_stream_that_still_runs_is_heard_from_its_beginning() {
    let world = World::new(
        "  - reply: { text: 'one two three', chunks: { sizes: [4] }, gate: { name: half, after_chunks: 2 } }",
    )
    .await;
    let handle = crashed(&world, AnswerDelivery::Streamed).await;
    let chunks = world.backend.stream(request("x"), Some(handle));
    let opened = async {
        until("the second listener", || world.n_looks() == 2).await;
        world.simulator.gates().open("half");
    };
    let (heard, ()) = tokio::join!(hear(chunks), opened);
    assert_eq!(
        (heard.text.as_str(), heard.finish()),
        ("one two three", &FinishReason::Stop)
    );
    assert!(heard.handles.is_empty() && heard.n_texts > 1);
    let paths: Vec<_> = world
        .simulator
        .log()
        .entries()
        .iter()
        .map(|entry| entry.path.clone())
        .collect();
    let id = "/v1beta/interactions/v1_sim000001";
    assert_eq!(paths[1..], [id.to_owned(), format!("{id}?alt=sse&stream=true")]);
}

#[tokio::test]
async fn a_stream_that_is_heard_again_may_break_too() {
    let cut = "{ when: { endpoint: get_interaction, stream: true }, times: 1, fault: { cut: { after_chunks: 2 } } }";
    let reply = "{ reply: { text: 'one two three', chunks: { sizes: [2] }, delay: { between_ms: 30 } } }";
    let world = World::new(&format!("  - {cut}\n  - {reply}")).await;
    let handle = crashed(&world, AnswerDelivery::Streamed).await;
    let heard = hear(world.backend.stream(request("x"), Some(handle))).await;
    assert_eq!(
        (heard.text.as_str(), heard.finish()),
        ("one two three", &FinishReason::Stop)
    );
    assert_eq!((world.n_created(), world.n_looks()), (1, 3));
}

#[tokio::test]
async fn background_work_that_still_runs_is_waited_for() {
    let world = World::new("  - reply: { text: 'the report', gate: { name: go, after_chunks: 0 } }").await;
    let handle = crashed(&world, AnswerDelivery::Background).await;
    let chunks = world
        .backend
        .stream(delivered("x", AnswerDelivery::Background), Some(handle));
    let opened = async {
        until("two looks", || world.n_looks() >= 2).await;
        world.simulator.gates().open("go");
    };
    let (heard, ()) = tokio::join!(hear(chunks), opened);
    assert_eq!(
        (heard.text.as_str(), heard.finish()),
        ("the report", &FinishReason::Stop)
    );
    assert!(heard.n_alive > 1);
    assert_eq!(world.n_created(), 1);
}

#[tokio::test]
async fn what_is_gone_is_a_lost_session_and_nothing_is_started() {
    let world = World::new("  - reply: { text: never }").await;
    for delivery in [
        AnswerDelivery::Streamed,
        AnswerDelivery::Buffered,
        AnswerDelivery::Background,
    ] {
        let heard = hear(
            world
                .backend
                .stream(delivered("x", delivery), Some(handle("v1_gone"))),
        )
        .await;
        heard.assert_lost(ErrorKind::SessionNotFound);
        assert_eq!(
            heard.failed().failure.detail.as_ref().unwrap()["http_status"],
            404
        );
    }
    for odd in [
        json!({}),
        json!("v1_a"),
        json!({"interaction": 7}),
        json!({"interaction": ""}),
        // An id that another host gave may be another call's here.
        json!({"interaction": "v1_sim000001", "host": "127.0.0.1:1"}),
    ] {
        let heard = hear(world.backend.stream(request("x"), Some(Json::from(odd)))).await;
        heard.assert_lost(ErrorKind::SessionNotFound);
    }
    assert_eq!(world.n_looks(), 3);
    // Names that would lead to another address are not followed.
    for odd in [".", ".."] {
        let heard = hear(world.backend.stream(request("x"), Some(handle(odd)))).await;
        assert_eq!(heard.spent(), AttemptCost::Unknown);
    }
    hear(world.backend.stream(request("x"), Some(handle("../models?x=/")))).await;
    let log = world.simulator.log().entries();
    assert_eq!(world.n_created(), 0);
    assert_eq!(
        log.last().unwrap().path,
        "/v1beta/interactions/..%2Fmodels%3Fx=%2F"
    );
}

#[tokio::test]
async fn what_failed_meanwhile_failed() {
    let world =
        World::new("  - { reply: { text: x }, fault: { stream_error: { code: internal, message: broke } } }")
            .await;
    let handle = crashed(&world, AnswerDelivery::Background).await;
    until_ended(&world, &handle).await;
    let heard = hear(
        world
            .backend
            .stream(delivered("x", AnswerDelivery::Background), Some(handle)),
    )
    .await;
    assert_eq!(heard.kind(), ErrorKind::UpstreamError);
    assert!(heard.message().contains("broke"));
    assert_eq!(world.n_created(), 1);
}

#[tokio::test]
async fn whatever_goes_wrong_may_have_cost_something_before() {
    for fault in [
        "http: { status: 401 }",
        "http: { status: 503 }",
        "rate_limit: { seconds: 3 }",
        "html: {}",
    ] {
        let rules = format!("  - {{ when: {{ endpoint: get_interaction }}, fault: {{ {fault} }} }}");
        let world = World::new(&rules).await;
        let heard = world.pick_up(request("x"), "v1_a").await;
        assert_eq!(heard.spent(), AttemptCost::Unknown, "{fault}");
        assert_eq!(world.n_created(), 0);
    }
}

#[tokio::test]
async fn a_stream_that_is_not_replayed_is_waited_for() {
    let running = r#"{"id":"v1_a","object":"interaction","status":"in_progress","steps":[]}"#;
    let refused = r#"{"error":{"code":"invalid_request","message":"Streaming retrieval of interactions is not supported."}}"#;
    let whole = r#"{"id":"v1_a","object":"interaction","status":"completed","steps":[{"type":"model_output","content":[{"type":"text","text":"all"}]}]}"#;
    let json = |body| response("200 OK", "application/json", body);
    let scripts = vec![
        json(running),
        response("400 Bad Request", "application/json", refused),
        json(running),
        json(running),
        json(running),
        json(running),
        json(running),
        json(whole),
    ];
    let server = RawServer::start(scripts).await;
    let heard = hear(backend(&server.url()).stream(request("x"), Some(handle("v1_a")))).await;
    assert_eq!(
        (heard.text.as_str(), heard.finish()),
        ("all", &FinishReason::Stop)
    );
    assert!(server.requests().iter().all(|line| line.starts_with("GET ")));
}
