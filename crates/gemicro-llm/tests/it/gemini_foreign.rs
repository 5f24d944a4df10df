//! Servers that are not the Gemini API, or not well.

use std::time::{Duration, Instant};

use gemicro_core::flow::AttemptCost;
use gemicro_core::llm::{AnswerDelivery, CallTime, FinishReason, LlmBackend, LlmRequest, generate};
use gemicro_event::ErrorKind;

use crate::gateway_world::until;
use crate::gemini_world::{World, backend, delivered, hear, request};
use crate::raw_server::{Act, RawServer, events, response};

const BOTH: [AnswerDelivery; 2] = [AnswerDelivery::Streamed, AnswerDelivery::Buffered];

#[tokio::test]
async fn an_endpoint_that_is_not_gemini_is_called_that() {
    let openai =
        r#"{"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"delta":{"content":"hi"}}]}"#;
    for script in [
        response(
            "200 OK",
            "text/html",
            "<!DOCTYPE html><title>Welcome to nginx!</title>",
        ),
        response("200 OK", "application/json", r#"{"hello":"world"}"#),
        response(
            "200 OK",
            "application/json",
            r#"{"id":"chatcmpl-1","object":"chat.completion","status":"completed"}"#,
        ),
        response("200 OK", "application/json", "[1,2]"),
        response("200 OK", "application/json", "null"),
        response("200 OK", "text/plain", ""),
        events(&[openai, "[DONE]"]),
        events(&["<<< not json >>>"]),
        response("302 Found", "text/html", "elsewhere"),
        response("404 Not Found", "application/json", r#"{"detail":"Not Found"}"#),
    ] {
        let server = RawServer::start(vec![script.clone()]).await;
        for delivery in BOTH {
            let heard = hear(backend(&server.url()).stream(delivered("x", delivery), None)).await;
            assert_eq!(heard.kind(), ErrorKind::MalformedOutput, "{script:?}");
            let expected = format!("the endpoint at {} does not speak the Gemini API", server.addr);
            assert!(heard.message().starts_with(&expected), "{}", heard.message());
        }
        assert_eq!(server.requests().len(), 2, "nothing is tried again or followed");
    }
}

#[tokio::test]
async fn redirects_are_not_followed_with_the_key() {
    let elsewhere = RawServer::start(vec![response("200 OK", "text/plain", "")]).await;
    for status in ["302 Found", "307 Temporary Redirect", "308 Permanent Redirect"] {
        let head = format!(
            "HTTP/1.1 {status}\r\nlocation: {}/v1beta/interactions\r\ncontent-length: 0\r\n\r\n",
            elsewhere.url()
        );
        let server = RawServer::start(vec![vec![Act::Say(head.into_bytes())]]).await;
        for delivery in BOTH {
            let heard = hear(backend(&server.url()).stream(delivered("x", delivery), None)).await;
            assert_eq!(heard.kind(), ErrorKind::MalformedOutput);
        }
    }
    assert_eq!(elsewhere.requests().len(), 0);
}

#[tokio::test]
async fn garbage_is_no_answer() {
    let world = World::new("  - fault: garbage").await;
    for delivery in BOTH {
        let heard = world.call(delivered("x", delivery)).await;
        heard.assert_lost(ErrorKind::MalformedOutput);
    }
}

#[tokio::test]
async fn no_one_there_costs_nothing() {
    let gone = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    for url in [format!("http://{gone}"), "http://no-such-host.invalid".to_owned()] {
        for delivery in BOTH {
            let heard = hear(backend(&url).stream(delivered("x", delivery), None)).await;
            assert_eq!(
                (heard.kind(), heard.spent()),
                (ErrorKind::UpstreamError, AttemptCost::Nothing)
            );
            let host = url.trim_start_matches("http://");
            assert!(
                heard.message().starts_with(&format!("cannot reach {host}: ")),
                "{}",
                heard.message()
            );
        }
    }
    // TLS to a server that has none.
    let server = RawServer::start(vec![response("200 OK", "text/plain", "")]).await;
    let url = server.url().replace("http:", "https:");
    let heard = hear(backend(&url).stream(request("x"), None)).await;
    assert_eq!(
        (heard.kind(), heard.spent()),
        (ErrorKind::UpstreamError, AttemptCost::Nothing)
    );
}

#[tokio::test]
async fn a_connection_that_dies_without_an_answer_may_have_cost_something() {
    let server = RawServer::start(vec![vec![]]).await;
    for delivery in BOTH {
        let heard = hear(backend(&server.url()).stream(delivered("x", delivery), None)).await;
        heard.assert_lost(ErrorKind::UpstreamError);
    }
    assert_eq!(server.requests().len(), 2, "a POST is never sent twice");
    let world =
        World::new("  - { reply: { text: 'one two three' }, fault: { cut: { after_chunks: 0 } } }").await;
    let heard = world.call(delivered("x", AnswerDelivery::Buffered)).await;
    heard.assert_lost(ErrorKind::TruncatedOutput);
}

#[tokio::test]
async fn memory_is_bounded() {
    let large = "x".repeat(1 << 20);
    let head = |status: &str, kind: &str| {
        Act::Say(
            format!("HTTP/1.1 {status}\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n").into_bytes(),
        )
    };
    for (delivery, start) in [
        (AnswerDelivery::Buffered, "{\"id\":\""),
        (AnswerDelivery::Streamed, "data: {\"event_type\":\""),
        // A page without end that is no stream at all.
        (AnswerDelivery::Streamed, "<html>"),
    ] {
        let script = vec![
            head("200 OK", "text/event-stream"),
            Act::Say(start.as_bytes().to_vec()),
            Act::Flood(large.clone().into_bytes()),
        ];
        let server = RawServer::start(vec![script]).await;
        let heard = hear(backend(&server.url()).stream(delivered("x", delivery), None)).await;
        heard.assert_lost(ErrorKind::MalformedOutput);
        assert!(
            heard.message().ends_with("is larger than 32 MiB"),
            "{}",
            heard.message()
        );
    }
    // Many events that are small each.
    let text = format!(
        "data: {{\"event_type\":\"step.delta\",\"index\":0,\"delta\":{{\"type\":\"text\",\"text\":\"{large}\"}}}}\n\n"
    );
    let script = vec![head("200 OK", "text/event-stream"), Act::Flood(text.into_bytes())];
    let server = RawServer::start(vec![script]).await;
    let heard = hear(backend(&server.url()).stream(request("x"), None)).await;
    heard.assert_lost(ErrorKind::MalformedOutput);
    assert_eq!(heard.text.len(), 32 << 20);
    // An error without end.
    let script = vec![head("500 Oops", "text/plain"), Act::Flood(large.into_bytes())];
    let server = RawServer::start(vec![script]).await;
    let heard = hear(backend(&server.url()).stream(request("x"), None)).await;
    assert_eq!(heard.kind(), ErrorKind::UpstreamError);
    assert!(heard.message().len() < 450);
}

#[tokio::test]
async fn an_error_whose_body_never_ends_is_an_error_all_the_same() {
    let start = "HTTP/1.1 429 Too Many\r\ncontent-length: 900\r\nretry-after: 4\r\n\r\n{\"error\":";
    let server = RawServer::start(vec![vec![Act::Say(start.as_bytes().to_vec()), Act::Hang]]).await;
    let started = Instant::now();
    let heard = hear(backend(&server.url()).stream(request("x"), None)).await;
    assert_eq!(
        (heard.kind(), heard.failed().failure.retry_after_ms),
        (ErrorKind::RateLimited, Some(4_000))
    );
    assert!(started.elapsed() < Duration::from_secs(20));
}

fn hasty(idle_ms: u64) -> LlmRequest {
    LlmRequest {
        time: CallTime {
            total_ms: 30_000,
            idle_ms,
        },
        ..request("x")
    }
}

#[tokio::test]
async fn silence_ends_a_call_and_its_connection() {
    let world = World::new("  - { reply: { text: 'one two' }, fault: { hang: { after_chunks: 1 } } }").await;
    let failed = generate(&world.backend, &hasty(200), None, |_| {})
        .await
        .unwrap_err();
    assert_eq!(
        (failed.failure.kind, failed.spent),
        (ErrorKind::IdleTimeout, AttemptCost::Unknown)
    );

    let head = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n".to_vec();
    for script in [vec![Act::Hang], vec![Act::Say(head), Act::Hang]] {
        let server = RawServer::start(vec![script]).await;
        let failed = generate(&backend(&server.url()), &hasty(200), None, |_| {})
            .await
            .unwrap_err();
        assert_eq!(failed.failure.kind, ErrorKind::IdleTimeout);
        until("the connection is given up", || server.n_left() > 0).await;
    }
}

#[tokio::test]
async fn keep_alives_are_signs_of_life() {
    let done = "data: {\"event_type\":\"step.delta\",\"index\":0,\"delta\":{\"type\":\"text\",\"text\":\"hi\"}}\n\ndata: {\"event_type\":\"interaction.completed\",\"interaction\":{\"id\":\"v1_a\",\"status\":\"completed\"}}\n\n";
    let mut script = vec![Act::Say(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n".to_vec(),
    )];
    for _ in 0..8 {
        script.push(Act::Wait(Duration::from_millis(250)));
        script.push(Act::Say(b": keep-alive\n\n".to_vec()));
    }
    script.push(Act::Say(done.as_bytes().to_vec()));
    let server = RawServer::start(vec![script]).await;
    let answer = generate(&backend(&server.url()), &hasty(1_000), None, |_| {})
        .await
        .unwrap();
    assert_eq!(answer.text, "hi");
}

#[tokio::test]
async fn odd_framing_is_read() {
    // CRLF, comments, several data lines, no type outside, pieces cut anywhere.
    let text = "\u{feff}: hello\r\nid: 7\r\nevent: interaction.created\r\ndata: {\"interaction\":\r\ndata: {\"id\":\"v1_a\",\"status\":\"queued\"}}\r\n\r\nevent: step.delta\r\ndata:{\"index\":0,\"delta\":{\"type\":\"text\",\"text\":\"größer\"}}\r\n\r\ndata: {\"event_type\":\"interaction.completed\",\"interaction\":{\"status\":\"completed\"}}\r\n\r\nevent: done\r\ndata: [DONE]\r\n\r\n";
    let mut script = vec![Act::Say(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n".to_vec(),
    )];
    for piece in text.as_bytes().chunks(7) {
        script.push(Act::Say(piece.to_vec()));
        script.push(Act::Wait(Duration::from_millis(1)));
    }
    let server = RawServer::start(vec![script]).await;
    let heard = hear(backend(&server.url()).stream(request("x"), None)).await;
    assert_eq!(
        (heard.text.as_str(), heard.finish()),
        ("größer", &FinishReason::Stop)
    );
    assert_eq!(heard.end().interaction_id.as_deref(), Some("v1_a"));
}
