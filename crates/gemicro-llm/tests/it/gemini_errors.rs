//! Every way the service says no.

use futures_util::future::join_all;
use gemicro_core::flow::AttemptCost;
use gemicro_core::llm::{AnswerDelivery, LlmBackend, LlmRequest};
use gemicro_event::ErrorKind;
use gemicro_llm::{GeminiBackend, GeminiConfig};
use serde_json::json;

use crate::gemini_world::{Heard, KEY, World, backend, config, delivered, hear, request};
use crate::raw_server::{RawServer, response};

const BOTH: [AnswerDelivery; 2] = [AnswerDelivery::Streamed, AnswerDelivery::Buffered];

async fn refused(fault: &str) -> Heard {
    let world = World::new(&format!("  - fault: {{ {fault} }}")).await;
    let [streamed, buffered] = [
        world.call(delivered("x", AnswerDelivery::Streamed)).await,
        world.call(delivered("x", AnswerDelivery::Buffered)).await,
    ];
    let plain = |heard: &Heard| {
        let failure = heard.failed().failure.clone();
        (
            failure.kind,
            failure.message,
            failure.retry_after_ms,
            heard.spent(),
        )
    };
    assert_eq!(plain(&streamed), plain(&buffered));
    assert_eq!(world.n_created(), 2, "nothing is tried again here");
    streamed
}

#[tokio::test]
async fn http_errors_have_their_kind_and_cost() {
    let table = [
        ("status: 400", ErrorKind::InvalidInput, AttemptCost::Nothing),
        (
            "status: 400, code: parameter_unknown, message: \"Unknown parameter 'x'.\"",
            ErrorKind::InvalidInput,
            AttemptCost::Nothing,
        ),
        (
            "status: 400, message: There was a problem processing your request.",
            ErrorKind::UpstreamError,
            AttemptCost::Nothing,
        ),
        (
            "status: 400, message: Invalid JSON syntax in the answer",
            ErrorKind::UpstreamError,
            AttemptCost::Nothing,
        ),
        ("status: 401", ErrorKind::AuthFailed, AttemptCost::Nothing),
        ("status: 402", ErrorKind::QuotaExhausted, AttemptCost::Nothing),
        (
            "status: 403, message: No access to this model.",
            ErrorKind::AuthFailed,
            AttemptCost::Nothing,
        ),
        (
            "status: 404, code: model_not_found",
            ErrorKind::UnknownModel,
            AttemptCost::Nothing,
        ),
        (
            "status: 404, code: not_found, message: \"Interaction 'v1_a' was not found.\"",
            ErrorKind::SessionNotFound,
            AttemptCost::Nothing,
        ),
        ("status: 408", ErrorKind::UpstreamError, AttemptCost::Unknown),
        ("status: 409", ErrorKind::UpstreamError, AttemptCost::Nothing),
        ("status: 413", ErrorKind::InvalidInput, AttemptCost::Nothing),
        ("status: 416", ErrorKind::InvalidInput, AttemptCost::Nothing),
        ("status: 429", ErrorKind::RateLimited, AttemptCost::Nothing),
        (
            "status: 429, code: quota_exceeded",
            ErrorKind::QuotaExhausted,
            AttemptCost::Nothing,
        ),
        ("status: 500", ErrorKind::UpstreamError, AttemptCost::Nothing),
        ("status: 502", ErrorKind::UpstreamError, AttemptCost::Nothing),
        ("status: 503", ErrorKind::UpstreamError, AttemptCost::Nothing),
        ("status: 504", ErrorKind::UpstreamError, AttemptCost::Unknown),
        ("status: 529", ErrorKind::UpstreamError, AttemptCost::Nothing),
    ];
    for (http, kind, spent) in table {
        for envelope in ["interactions", "rpc"] {
            let heard = refused(&format!("http: {{ {http}, envelope: {envelope} }}")).await;
            let is_word = http.contains("code:");
            if is_word && envelope == "rpc" {
                continue;
            }
            assert_eq!((heard.kind(), heard.spent()), (kind, spent), "{http} {envelope}");
            let status = &http["status: ".len()..][..3];
            assert!(
                heard.message().contains(&format!("HTTP {status}")),
                "{}",
                heard.message()
            );
            assert!(heard.message().contains("127.0.0.1:"), "{}", heard.message());
            let detail = heard.failed().failure.detail.clone().unwrap();
            assert_eq!(detail["http_status"].to_string(), status);
            assert!(detail["request_id"].as_str().unwrap().starts_with("sim-"));
        }
    }
}

#[tokio::test]
async fn waits_are_taken_from_wherever_they_stand() {
    for (fault, kind, wait) in [
        (
            "rate_limit: { seconds: 35, announce: header }",
            ErrorKind::RateLimited,
            Some(35_000),
        ),
        (
            "rate_limit: { seconds: 35, announce: body, envelope: rpc }",
            ErrorKind::RateLimited,
            Some(35_000),
        ),
        (
            "rate_limit: { seconds: 1.5, announce: body, envelope: rpc }",
            ErrorKind::RateLimited,
            Some(1_500),
        ),
        // The header has whole seconds only and comes first.
        (
            "rate_limit: { seconds: 1.5, announce: both, envelope: rpc }",
            ErrorKind::RateLimited,
            Some(2_000),
        ),
        // Here only the message says it: "Please retry in 7s."
        (
            "rate_limit: { seconds: 7, announce: nowhere }",
            ErrorKind::RateLimited,
            Some(7_000),
        ),
        ("daily_quota: { limit: 250 }", ErrorKind::QuotaExhausted, None),
        (
            "daily_quota: { limit: 250, envelope: rpc }",
            ErrorKind::QuotaExhausted,
            None,
        ),
        (
            "http: { status: 429, message: Slow down. }",
            ErrorKind::RateLimited,
            None,
        ),
        (
            "http: { status: 503, headers: { retry-after: '12' } }",
            ErrorKind::UpstreamError,
            Some(12_000),
        ),
        (
            "http: { status: 429, headers: { retry-after: 'soon' } }",
            ErrorKind::RateLimited,
            None,
        ),
        (
            "http: { status: 429, headers: { retry-after: 'Wed, 21 Oct 2015 07:28:00 GMT' } }",
            ErrorKind::RateLimited,
            Some(0),
        ),
    ] {
        let heard = refused(fault).await;
        let failure = &heard.failed().failure;
        assert_eq!((failure.kind, failure.retry_after_ms), (kind, wait), "{fault}");
    }
    let heard = refused("daily_quota: { limit: 250, envelope: rpc }").await;
    let quota = &heard.failed().failure.detail.as_ref().unwrap()["quotas"][0];
    assert!(quota["id"].as_str().unwrap().contains("PerDay"), "{quota}");
    assert_eq!(quota["value"], "250");
}

#[tokio::test]
async fn an_unknown_model_is_named_with_its_replacement() {
    let world = World::new("  - reply: { text: never }").await;
    for (model, instead) in [
        ("gemini-2.0-flash", Some("gemini-3.5-flash")),
        ("gemini-99", None),
    ] {
        let asked = LlmRequest {
            model: model.to_owned(),
            ..request("x")
        };
        let heard = world.call(asked).await;
        assert_eq!(heard.kind(), ErrorKind::UnknownModel);
        assert!(
            heard.message().contains(&format!("`{model}`")),
            "{}",
            heard.message()
        );
        let advised = heard
            .message()
            .split("use `")
            .nth(1)
            .and_then(|rest| rest.split('`').next());
        assert_eq!(advised, instead);
    }
    let asked = LlmRequest {
        model: "deep-research-unheard-of".to_owned(),
        ..request("x")
    };
    assert_eq!(world.call(asked).await.kind(), ErrorKind::UnknownModel);
}

#[tokio::test]
async fn a_bad_key_is_reported_and_never_shown() {
    let world = World::new("  - reply: { text: never }").await;
    let settings = GeminiConfig {
        api_key: "invalid".to_owned(),
        ..config(&world.simulator.url())
    };
    let heard = hear(GeminiBackend::new(settings).unwrap().stream(request("x"), None)).await;
    assert_eq!(
        (heard.kind(), heard.spent()),
        (ErrorKind::AuthFailed, AttemptCost::Nothing)
    );

    // A service that quotes the key in every place it can.
    let quoting = json!({"error": {"code": KEY, "message": format!("Key {KEY} is bad"), "details": [
        {"violations": [{"quotaId": KEY, "quotaValue": KEY}]}]}});
    let body = quoting.to_string();
    let head = format!("x-goog-request-id: {KEY}\r\ncontent-type: application/json");
    let raw = format!(
        "HTTP/1.1 403 Forbidden\r\n{head}\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let stream = format!(
        "data: {{\"event_type\":\"{KEY}\"}}\n\ndata: {{\"event_type\":\"error\",\"error\":{{\"code\":\"{KEY}\",\"message\":\"{KEY}\"}}}}\n\n"
    );
    for script in [
        vec![crate::raw_server::Act::Say(raw.into_bytes())],
        response("200 OK", "text/event-stream", &stream),
        response("200 OK", "application/json", &format!("[\"{KEY}\"]")),
        response("502 Bad Gateway", "text/html", &format!("<title>{KEY}</title>")),
    ] {
        let server = RawServer::start(vec![script]).await;
        for delivery in BOTH {
            let heard = hear(backend(&server.url()).stream(delivered("x", delivery), None)).await;
            assert!(heard.failure.is_some());
            assert!(!format!("{heard:?}").contains(KEY), "{heard:?}");
        }
        // It went out in its header and nowhere else.
        for head in server.heads() {
            assert!(head.contains(&format!("x-goog-api-key: {KEY}")), "{head}");
            assert_eq!(head.matches(KEY).count(), 1, "{head}");
        }
    }
    let settings = config("http://127.0.0.1:1");
    assert!(!format!("{settings:?}").contains(KEY));
    assert!(!format!("{:?}", GeminiBackend::new(settings).unwrap()).contains(KEY));
}

#[test]
fn bad_settings_are_refused_before_any_call() {
    for url in [
        "",
        "example.com",
        "ftp://example.com",
        "data:text/plain,x",
        "http://",
    ] {
        let failure = GeminiBackend::new(config(url)).unwrap_err();
        assert_eq!(failure.kind, ErrorKind::InvalidInput, "{url}");
    }
    for key in ["", "  ", "a\nb"] {
        let settings = GeminiConfig::new(key);
        assert_eq!(
            GeminiBackend::new(settings).unwrap_err().kind,
            ErrorKind::AuthFailed
        );
    }
}

#[tokio::test]
async fn error_pages_are_summed_up() {
    let heard = refused("html: { status: 502 }").await;
    assert_eq!(
        (heard.kind(), heard.spent()),
        (ErrorKind::UpstreamError, AttemptCost::Nothing)
    );
    assert!(
        heard.message().ends_with("HTTP 502: Error 502 (Bad Gateway)!!1"),
        "{}",
        heard.message()
    );
    let heard = refused("html: { status: 404 }").await;
    assert_eq!(heard.kind(), ErrorKind::MalformedOutput);
    assert!(
        heard.message().contains("does not speak the Gemini API"),
        "{}",
        heard.message()
    );
    let long = "wörd ".repeat(2_000);
    let heard = refused(&format!("http: {{ status: 400, message: '{long}' }}")).await;
    assert!(
        heard.message().len() < 450 && heard.message().ends_with('…'),
        "{}",
        heard.message()
    );
}

#[tokio::test]
async fn parallel_calls_keep_their_own_details() {
    let mut rules = String::new();
    for n in 0..50 {
        let fault = match n % 5 {
            0 => format!("rate_limit: {{ seconds: {n}.5, announce: body, envelope: rpc }}"),
            1 => format!("http: {{ status: 400, message: wrong {n}. }}"),
            2 => format!("http: {{ status: 503, message: down {n}., headers: {{ retry-after: '{n}' }} }}"),
            3 => format!("daily_quota: {{ limit: {n}, envelope: rpc }}"),
            _ => format!("stream_error: {{ message: broke {n}. }}"),
        };
        rules += &format!("  - {{ when: {{ prompt_is: 'p{n}' }}, fault: {{ {fault} }} }}\n");
    }
    let world = World::new(&rules).await;
    let calls = (0..50).map(|n| {
        let delivery = if n % 2 == 0 {
            AnswerDelivery::Streamed
        } else {
            AnswerDelivery::Buffered
        };
        world.call(delivered(&format!("p{n}"), delivery))
    });
    let all = join_all(calls).await;
    let mut request_ids = Vec::new();
    for (n, heard) in all.iter().enumerate() {
        let failure = &heard.failed().failure;
        let detail = failure.detail.as_ref().unwrap();
        let millis = n as u64 * 1_000;
        match n % 5 {
            0 => assert_eq!(
                (failure.kind, failure.retry_after_ms),
                (ErrorKind::RateLimited, Some(millis + 500))
            ),
            1 => assert!(failure.message.contains(&format!("wrong {n}.")), "{failure:?}"),
            2 => {
                assert!(failure.message.contains(&format!("down {n}.")), "{failure:?}");
                assert_eq!(failure.retry_after_ms, Some(millis));
            }
            3 => assert_eq!(detail["quotas"][0]["value"], n.to_string()),
            _ => assert!(failure.message.contains(&format!("broke {n}.")), "{failure:?}"),
        }
        request_ids.extend(detail.get("request_id").map(ToString::to_string));
    }
    request_ids.sort();
    request_ids.dedup();
    assert_eq!(request_ids.len(), 40, "every refused call has an id of its own");
}
