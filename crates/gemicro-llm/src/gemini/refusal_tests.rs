//! Error bodies of every shape.

use chrono::TimeZone;
use reqwest::header::HeaderValue;
use serde_json::json;

use super::*;

fn read(status: u16, retry_after: Option<&'static str>, body: &str) -> GeminiRefusal {
    let mut headers = HeaderMap::new();
    if let Some(value) = retry_after {
        headers.insert(RETRY_AFTER, HeaderValue::from_static(value));
    }
    let now = Utc.with_ymd_and_hms(2026, 11, 15, 12, 0, 0).unwrap();
    GeminiRefusal::read(status, &headers, body.as_bytes(), now)
}

#[test]
fn both_envelopes_are_read() {
    let body = r#"{"error":{"code":"invalid_request","message":"No."}}"#;
    let refusal = read(400, None, body);
    assert_eq!(
        (
            refusal.code.as_deref(),
            refusal.message.as_str(),
            refusal.is_envelope
        ),
        (Some("invalid_request"), "No.", true)
    );
    let body = json!([{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "Slow.", "details": [
        {"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [
            {"quotaId": "RequestsPerMinute", "quotaValue": "60"}, {"quotaId": "RequestsPerDay", "quotaValue": "250"}]},
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "35.25s"},
        {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]}}]);
    let refusal = read(429, None, &body.to_string());
    assert_eq!(refusal.code.as_deref(), Some("RESOURCE_EXHAUSTED"));
    assert_eq!(refusal.retry_after, Some(Duration::from_millis(35_250)));
    assert!(refusal.is_daily() && refusal.is_about_key());
    assert_eq!(refusal.quotas.len(), 2);
}

#[test]
fn anything_else_is_read_as_far_as_it_goes() {
    for (body, message) in [
        ("<HTML><TITLE> Bad\nGateway </TITLE>", "Bad\nGateway"),
        ("<title>never closed", "<title>never closed"),
        ("plain words", "plain words"),
        ("", ""),
        ("{\"error\":\"text\"}", "{\"error\":\"text\"}"),
        ("{\"error\":{}}", "{\"error\":{}}"),
        ("İ<title>é</title>", "é"),
    ] {
        assert_eq!(read(500, None, body).message, message);
    }
    let odd = r#"{"error":{"code":[],"message":7,"details":[1,{"violations":[3]},{"violations":{}},{"retryDelay":9}]}}"#;
    let refusal = read(500, None, odd);
    assert_eq!((refusal.code, refusal.retry_after), (None, None));
}

#[test]
fn waits_are_seconds_or_moments() {
    for (header, millis) in [
        ("120", Some(120_000)),
        (" 1.5 ", Some(1_500)),
        ("Sun, 15 Nov 2026 12:00:30 GMT", Some(30_000)),
        ("Sun, 15 Nov 2026 11:00:00 GMT", Some(0)),
        ("-3", None),
        ("NaN", None),
        ("tomorrow", None),
        ("99999999999999999999999999", None),
    ] {
        let wait = read(503, Some(header), "").retry_after;
        assert_eq!(wait.map(|wait| wait.as_millis()), millis, "{header}");
    }
    for (message, millis) in [
        ("Please retry in 12.5s.", Some(12_500)),
        ("Please retry in 250.5ms.", Some(250)),
        ("Please retry in a while.", None),
        ("Please retry in 3", None),
        ("Please retry in 3 hours", None),
        ("Please retry in ..s", None),
    ] {
        let body = json!({"error": {"code": "rate_limit_exceeded", "message": message}});
        let wait = read(429, None, &body.to_string()).retry_after;
        assert_eq!(wait.map(|wait| wait.as_millis()), millis, "{message}");
    }
}
