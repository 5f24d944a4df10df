//! Questions about models and tokens.

use std::time::Instant;

use gemicro_event::ErrorKind;
use gemicro_llm::GeminiBackend;
use gemicro_llm::rest::{GeminiRest, ModelInfo};

use crate::gemini_world::{KEY, MODEL, World, config};
use crate::raw_server::{RawServer, response};

#[tokio::test]
async fn tokens_are_counted() {
    let world = World::new("  - reply: { text: x }").await;
    let rest = world.backend.rest();
    assert_eq!(rest.count_tokens(MODEL, "twelve bytes").await, Ok(3));
    assert_eq!(rest.count_tokens("models/gemini-3.8-flash", "").await, Ok(0));
    let failure = rest.count_tokens("gemini-3-pro-preview", "x").await.unwrap_err();
    assert_eq!(failure.kind, ErrorKind::UnknownModel);
    assert!(
        failure.message.ends_with("use `gemini-3.1-pro-preview` instead"),
        "{failure}"
    );
}

#[tokio::test]
async fn models_are_listed_over_all_pages() {
    let world = World::new("  - reply: { text: x }").await;
    let models = world.backend.rest().models().await.unwrap();
    let found = models.iter().find(|model| model.id == MODEL).unwrap();
    assert_eq!(
        (found.input_limit, found.output_limit),
        (Some(1_048_576), Some(65_536))
    );

    let page = |body: &str| response("200 OK", "application/json", body);
    let scripts = vec![
        page(r#"{"models":[{"name":"models/a","inputTokenLimit":1},{"no":"name"}],"nextPageToken":"t+1"}"#),
        page(r#"{"models":[{"name":"models/b","outputTokenLimit":2}]}"#),
    ];
    let server = RawServer::start(scripts).await;
    let rest = GeminiRest::new(&config(&server.url())).unwrap();
    let info = |id: &str, input_limit, output_limit| ModelInfo {
        id: id.to_owned(),
        input_limit,
        output_limit,
    };
    assert_eq!(
        rest.models().await,
        Ok(vec![info("a", Some(1), None), info("b", None, Some(2))])
    );
    assert_eq!(
        server.requests()[1],
        "GET /v1beta/models?pageSize=1000&pageToken=t%2B1 HTTP/1.1"
    );
    assert!(
        server
            .heads()
            .iter()
            .all(|head| head.contains(&format!("x-goog-api-key: {KEY}")))
    );
    assert!(server.requests().iter().all(|line| !line.contains(KEY)));
    // A server that never stops turning pages.
    let scripts = vec![page(r#"{"models":[{"name":"models/a"}],"nextPageToken":"t"}"#)];
    let server = RawServer::start(scripts).await;
    let rest = GeminiRest::new(&config(&server.url())).unwrap();
    assert_eq!(rest.models().await.unwrap().len(), 20);
}

#[tokio::test]
async fn refusals_come_in_either_envelope() {
    for (fault, kind) in [
        ("http: { status: 403, envelope: rpc }", ErrorKind::AuthFailed),
        (
            "http: { status: 401, envelope: interactions }",
            ErrorKind::AuthFailed,
        ),
        ("rate_limit: { seconds: 3 }", ErrorKind::RateLimited),
        ("daily_quota: {}", ErrorKind::QuotaExhausted),
        ("html: { status: 503 }", ErrorKind::UpstreamError),
    ] {
        let rules = format!("  - {{ when: {{ endpoint: [models, count_tokens] }}, fault: {{ {fault} }} }}");
        let world = World::new(&rules).await;
        let rest = world.backend.rest();
        assert_eq!(rest.models().await.unwrap_err().kind, kind, "{fault}");
        assert_eq!(
            rest.count_tokens(MODEL, "x").await.unwrap_err().kind,
            kind,
            "{fault}"
        );
    }
    for body in ["<html>", r#"{"hello":"world"}"#, "[]"] {
        let server = RawServer::start(vec![response("200 OK", "text/html", body)]).await;
        let rest = GeminiRest::new(&config(&server.url())).unwrap();
        for failure in [
            rest.models().await.unwrap_err(),
            rest.count_tokens(MODEL, "x").await.unwrap_err(),
        ] {
            assert_eq!(failure.kind, ErrorKind::MalformedOutput);
            assert!(
                failure.message.contains("does not speak the Gemini API"),
                "{failure}"
            );
        }
    }
}

#[test]
fn making_a_backend_costs_nothing() {
    let started = Instant::now();
    for _ in 0..100 {
        GeminiBackend::new(config("https://generativelanguage.googleapis.com")).unwrap();
    }
    assert!(started.elapsed().as_millis() < 200, "{:?}", started.elapsed());
}
