//! Streams pass as they come; whoever hangs, breaks off or leaves is charged the worst case.

use std::time::{Duration, Instant};

use futures_util::StreamExt;
use gemicro_core::budget::Limits;
use gemicro_llm::gateway::{AgentApi, GatewayConfig, NoteKind};
use gemicro_sim::scenario::{Scenario, ScenarioEndpoint};
use gemicro_sim::{RunningSimulator, Simulator};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::gateway_world::{
    KEY, LAST_CHUNK, Provider, SSE_HEAD, Say, World, chunk, config, grant, message_body, message_bound,
    message_end, message_start, tokens, until,
};

/// Starts a stream and then does this.
fn started(then: Vec<Say>) -> Vec<Say> {
    let mut acts = vec![Say::Bytes(SSE_HEAD.into()), Say::Bytes(chunk(&message_start(5)))];
    acts.extend(then);
    acts
}

#[tokio::test]
async fn the_first_event_arrives_before_the_last_is_made() {
    let provider = Provider::start(|_| {
        started(vec![
            Say::Wait(Duration::from_secs(2)),
            Say::Bytes(chunk(&message_end(3))),
            Say::Bytes(LAST_CHUNK.into()),
        ])
    })
    .await;
    let world = World::new(AgentApi::Anthropic, &provider.url, tokens(100_000));
    let began = Instant::now();
    let mut pieces = world.message(100).send().await.unwrap().bytes_stream();
    let first = pieces.next().await.unwrap().unwrap();
    assert!(first.starts_with(b"event: message_start") && began.elapsed() < Duration::from_secs(1));
    while let Some(piece) = pieces.next().await {
        piece.unwrap();
    }
    assert_eq!(world.ticket.close().await.cost.tokens, 8);
}

#[tokio::test]
async fn a_hung_or_cut_answer_is_charged_its_worst_case_and_seen_as_cut() {
    for then in [
        vec![Say::Hang],
        Vec::new(),
        vec![Say::Bytes(chunk("event: x")), Say::Bytes(b"zz\r\n".to_vec())],
    ] {
        let acts = then.clone();
        let provider = Provider::start(move |_| started(acts.clone())).await;
        let settings = GatewayConfig {
            idle_time: Duration::from_millis(200),
            ..config()
        };
        let world = World::with(
            settings,
            grant(AgentApi::Anthropic, &provider.url, tokens(100_000)),
        );
        let heard = world.message(100).send().await.unwrap();
        assert_eq!(heard.status(), 200);
        assert!(
            heard.bytes().await.is_err(),
            "the client must see that something is missing"
        );
        let notes = world.notes();
        assert!(
            notes
                .iter()
                .any(|note| matches!(note.kind, NoteKind::Upstream { status: None, .. })),
            "{notes:?}"
        );
        let spent = world.ticket.close().await;
        assert_eq!((spent.cost.tokens, spent.worst_case), (message_bound(100), true));
    }
    // Nothing at all comes back.
    let provider = Provider::start(|_| vec![Say::Hang]).await;
    let settings = GatewayConfig {
        answer_time: Duration::from_millis(200),
        ..config()
    };
    let world = World::with(
        settings,
        grant(AgentApi::Anthropic, &provider.url, tokens(100_000)),
    );
    assert_eq!(world.message(100).send().await.unwrap().status(), 504);
    assert_eq!(world.ticket.close().await.cost.tokens, message_bound(100));
}

#[tokio::test]
async fn a_client_that_leaves_stops_the_provider_and_pays() {
    for before_answer in [false, true] {
        let provider = Provider::start(move |_| {
            if before_answer {
                vec![Say::Hang]
            } else {
                started(vec![Say::Hang])
            }
        })
        .await;
        let world = World::new(AgentApi::Anthropic, &provider.url, tokens(100_000));
        let mut stream = TcpStream::connect(world.serving.addr()).await.unwrap();
        let body = message_body(100);
        let head = format!(
            "POST /v1/messages HTTP/1.1\r\nhost: localhost\r\nx-api-key: {}\r\ncontent-length: {}\r\n\r\n",
            world.ticket.token(),
            body.len()
        );
        stream.write_all((head + &body).as_bytes()).await.unwrap();
        if !before_answer {
            let mut heard = [0; 4096];
            let _ = stream.read(&mut heard).await.unwrap();
        }
        until("the provider was asked", || !provider.got().is_empty()).await;
        drop(stream);
        until("the provider was left", || provider.n_left() == 1).await;
        until("it was charged", || {
            world.ticket.step_usage().cost.tokens == message_bound(100)
        })
        .await;
        assert!(world.ticket.close().await.worst_case);
    }
}

#[tokio::test]
async fn a_client_that_leaves_after_the_end_pays_what_was_used() {
    let provider = Provider::start(|_| started(vec![Say::Bytes(chunk(&message_end(3))), Say::Hang])).await;
    let world = World::new(AgentApi::Anthropic, &provider.url, tokens(100_000));
    let mut pieces = world.message(100).send().await.unwrap().bytes_stream();
    let mut heard = String::new();
    while !heard.contains("message_stop") {
        heard.push_str(&String::from_utf8_lossy(&pieces.next().await.unwrap().unwrap()));
    }
    drop(pieces);
    until("it was charged", || world.ticket.step_usage().cost.tokens == 8).await;
    assert!(!world.ticket.close().await.worst_case);
}

#[tokio::test]
async fn closing_cuts_what_is_under_way() {
    let provider = Provider::start(|_| started(vec![Say::Hang])).await;
    let world = World::new(AgentApi::Anthropic, &provider.url, tokens(100_000));
    let mut pieces = world.message(100).send().await.unwrap().bytes_stream();
    pieces.next().await.unwrap().unwrap();
    let waiting = world.message(100).send().await.unwrap();
    let began = Instant::now();
    let spent = world.ticket.close().await;
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    assert_eq!(
        (spent.cost.tokens, spent.worst_case),
        (2 * message_bound(100), true)
    );
    assert!(pieces.next().await.unwrap().is_err());
    assert!(waiting.bytes().await.is_err());
    until("the provider was left", || provider.n_left() == 2).await;
}

#[tokio::test]
async fn closing_does_not_wait_for_a_client_that_takes_nothing() {
    let provider =
        Provider::start(|_| started(vec![Say::Repeat(chunk(&"x".repeat(1 << 16)), 100_000)])).await;
    let settings = GatewayConfig {
        write_time: Duration::from_millis(300),
        ..config()
    };
    let world = World::with(
        settings,
        grant(AgentApi::Anthropic, &provider.url, tokens(100_000)),
    );
    let _deaf = world.message(100).send().await.unwrap();
    // It is thrown out by itself.
    until("the provider was left", || provider.n_left() == 1).await;
    until("it was charged", || world.ticket.step_usage().worst_case).await;
    let deaf = world.message(100).send().await.unwrap();
    let began = Instant::now();
    let spent = world.ticket.close().await;
    assert!(began.elapsed() < Duration::from_secs(1));
    assert!(deaf.bytes().await.is_err(), "what was cut must not look whole");
    assert_eq!(spent.cost.tokens, 2 * message_bound(100));
}

#[tokio::test]
async fn slow_clients_hold_only_themselves() {
    let provider = Provider::start(|_| {
        started(vec![
            Say::Bytes(chunk(&message_end(3))),
            Say::Bytes(LAST_CHUNK.into()),
        ])
    })
    .await;
    let settings = GatewayConfig {
        connections: 3,
        head_time: Duration::from_millis(200),
        ..config()
    };
    let world = World::with(
        settings,
        grant(AgentApi::Anthropic, &provider.url, tokens(100_000)),
    );
    let mut idle = Vec::new();
    for _ in 0..12 {
        let mut stream = TcpStream::connect(world.serving.addr()).await.unwrap();
        let _ = stream.write_all(b"POST /v1/mess").await;
        idle.push(stream);
    }
    let heard = tokio::time::timeout(Duration::from_secs(10), world.message(100).send()).await;
    assert_eq!(
        heard.expect("the idle ones are thrown out").unwrap().status(),
        200
    );
    // A listener of its own is not touched by them at all.
    let other = world.gateway.serve(crate::gateway_world::listener()).unwrap();
    let heard = crate::gateway_world::client()
        .post(format!("{}/v1/messages", other.url()))
        .bearer_auth(world.ticket.token())
        .body(message_body(100))
        .send()
        .await
        .unwrap();
    assert_eq!(heard.status(), 200);
    let addr = other.addr();
    drop(other);
    until("the listener is closed", || {
        std::net::TcpStream::connect(addr).is_err()
    })
    .await;
}

/// Resident memory of this process in MiB, where the system tells it.
fn resident() -> Option<u64> {
    let pages = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = pages.split_whitespace().nth(1)?.parse().ok()?;
    Some((pages * 4096) >> 20)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory_stays_flat_for_half_a_gigabyte() {
    const PIECE: usize = 1 << 18;
    const PIECES: usize = 2_000;
    let piece = chunk(&format!(
        "data: {{\"type\":\"content_block_delta\",\"text\":\"{}\"}}\n\n",
        "x".repeat(PIECE)
    ));
    let provider = Provider::start(move |_| {
        started(vec![
            Say::Repeat(piece.clone(), PIECES),
            Say::Bytes(chunk(&message_end(3))),
            Say::Bytes(LAST_CHUNK.into()),
        ])
    })
    .await;
    let world = World::new(AgentApi::Anthropic, &provider.url, tokens(100_000));
    let before = resident();
    let mut most = before;
    let mut n_bytes = 0;
    let mut pieces = world.message(100).send().await.unwrap().bytes_stream();
    while let Some(piece) = pieces.next().await {
        n_bytes += piece.unwrap().len();
        most = most.max(resident());
    }
    assert!(n_bytes > PIECE * PIECES);
    if let (Some(before), Some(most)) = (before, most) {
        // Other tests run beside this one.
        assert!(most - before < 150, "{before} MiB grew to {most}");
    }
    assert_eq!(world.ticket.close().await.cost.tokens, 8);
}

async fn simulator(rules: &str) -> RunningSimulator {
    let text = format!("scenario: test\nrules:\n{rules}\n");
    let scenario = Scenario::parse("test.yaml", &text).unwrap_or_else(|error| panic!("{error}"));
    Simulator::start(scenario, "127.0.0.1:0".parse().expect("an address"))
        .await
        .expect("a free port")
}

#[tokio::test]
async fn the_simulated_providers_are_served() {
    let simulator = simulator("  - reply: { text: ready }").await;
    let world = World::new(AgentApi::Gemini, &simulator.url(), tokens(500_000));
    let body = r#"{"contents":[{"role":"user","parts":[{"text":"hello"}]}]}"#;
    let model = "/v1beta/models/gemini-3.8-flash";
    for path in [
        format!("{model}:generateContent"),
        format!("{model}:streamGenerateContent?alt=sse"),
        format!("{model}:streamGenerateContent"),
    ] {
        let heard = world.post(&path, body).send().await.unwrap();
        assert_eq!(heard.status(), 200, "{path}");
        assert!(heard.text().await.unwrap().contains("ready"), "{path}");
    }
    for stream in [false, true] {
        let body = format!(r#"{{"model":"gemini-3.8-flash","input":"hello","stream":{stream}}}"#);
        let heard = world.post("/v1beta/interactions", body).send().await.unwrap();
        assert!(heard.text().await.unwrap().contains("ready"));
    }
    assert_eq!(
        world
            .post(&format!("{model}:countTokens"), body)
            .send()
            .await
            .unwrap()
            .status(),
        200
    );
    let spent = world.ticket.close().await;
    assert!(
        !spent.worst_case && spent.cost.turns == 5 && spent.n_requests == 6,
        "{spent:?}"
    );
    assert_eq!(
        spent.cost.tokens,
        spent.usage.total_tokens() + spent.usage.tool_tokens
    );
    assert_eq!(simulator.log().count(ScenarioEndpoint::Interactions), 2);

    let world = World::new(AgentApi::OpenAi, &simulator.url(), tokens(500_000));
    for stream in [false, true] {
        let body = format!(
            r#"{{"model":"llama3.2","messages":[{{"role":"user","content":"hello"}}],"max_tokens":50,"stream":{stream}}}"#
        );
        let heard = world.post("/v1/chat/completions", body).send().await.unwrap();
        assert!(heard.text().await.unwrap().contains("ready"));
    }
    let listed = crate::gateway_world::client()
        .get(world.url("/v1/models"))
        .bearer_auth(world.ticket.token());
    assert_eq!(listed.send().await.unwrap().status(), 200);
    let spent = world.ticket.close().await;
    assert!(
        !spent.worst_case && spent.cost.turns == 2 && spent.cost.tokens > 0,
        "{spent:?}"
    );
    let logged = format!("{:?}", simulator.log().entries());
    assert!(
        logged.contains("include_usage") && !logged.contains("gw-"),
        "{logged}"
    );
    assert!(!format!("{spent:?}").contains(KEY));
}

#[tokio::test]
async fn no_budget_is_no_limit() {
    let simulator = simulator("  - reply: { text: ready }").await;
    let world = World::new(AgentApi::OpenAi, &simulator.url(), Limits::NONE);
    let body = r#"{"model":"llama3.2","messages":[{"role":"user","content":"hello"}]}"#;
    let heard = world.post("/v1/chat/completions", body).send().await.unwrap();
    assert_eq!(heard.status(), 200);
    let entries = simulator.log().entries();
    assert_eq!(
        entries[0].body,
        serde_json::from_str::<serde_json::Value>(body).unwrap()
    );
}
