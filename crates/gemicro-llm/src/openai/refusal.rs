//! Parses an HTTP error: the many formats of servers, and the retry delay.

use std::time::Duration;

use chrono::{DateTime, Utc};
use reqwest::header::{HeaderMap, RETRY_AFTER};
use serde_json::Value;

/// An HTTP error response of a server, or an error inside an answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct OpenAiRefusal {
    /// The HTTP status; 500 for an error inside an answer that has none.
    pub(super) status: u16,
    /// `code`, or else `type`.
    pub(super) code: Option<String>,
    /// The message; for an HTML page its title.
    pub(super) message: String,
    /// Whether it was JSON with a message, which suggests an API.
    pub(super) is_envelope: bool,
    pub(super) request_id: Option<String>,
    pub(super) retry_after: Option<Duration>,
}

impl OpenAiRefusal {
    /// Parses status, headers and body.
    pub(super) fn read(status: u16, headers: &HeaderMap, body: &[u8], now: DateTime<Utc>) -> Self {
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let text = String::from_utf8_lossy(body);
        let parsed: Value = serde_json::from_str(&text).unwrap_or_default();
        // Some servers wrap the error in a list.
        let envelope = parsed.get(0).unwrap_or(&parsed);
        let said = words_of(envelope);
        Self {
            status,
            code: code_of(envelope),
            is_envelope: said.is_some(),
            message: said.unwrap_or_else(|| page_words(&text)),
            request_id: header("x-request-id").map(str::to_owned),
            retry_after: header("retry-after-ms")
                .and_then(|value| seconds(value).map(|value| value / 1_000))
                .or_else(|| wait_of(header(RETRY_AFTER.as_str())?, now)),
        }
    }

    /// An error instead of an answer, or in the middle of one.
    pub(super) fn inside(value: &Value) -> Self {
        let code = value.pointer("/error/code");
        let status = code
            .and_then(Value::as_u64)
            .and_then(|code| u16::try_from(code).ok());
        Self {
            status: status.filter(|status| (400..600).contains(status)).unwrap_or(500),
            code: code_of(value),
            message: words_of(value).unwrap_or_else(|| value.to_string()),
            is_envelope: true,
            request_id: None,
            retry_after: None,
        }
    }

    /// Whether code or message contains one of these words.
    pub(super) fn names(&self, words: &[&str]) -> bool {
        let message = self.message.to_ascii_lowercase();
        let code = self.code.as_deref().unwrap_or_default().to_ascii_lowercase();
        words
            .iter()
            .any(|word| message.contains(word) || code.contains(word))
    }

    /// Whether it is about a model; a page or a path (`/v1/models`) does not count.
    pub(super) fn is_about_model(&self) -> bool {
        let message = self.message.to_ascii_lowercase();
        let mut words = message.split(|c: char| !c.is_alphanumeric());
        self.is_envelope && words.any(|word| word == "model")
    }
}

/// The message in `{"error":{"message":…}}`, `{"error":"…"}`, `{"message":…}`, `{"detail":…}`,
/// `{"detail":[{"msg":…}]}`.
fn words_of(envelope: &Value) -> Option<String> {
    let error = envelope.get("error");
    let places = [
        error.and_then(|error| error.get("message")),
        error,
        envelope.get("message"),
        envelope.get("detail"),
    ];
    let text = places.into_iter().flatten().find_map(Value::as_str);
    if let Some(text) = text {
        return Some(text.to_owned());
    }
    let list = envelope.get("detail").and_then(Value::as_array)?;
    let said: Vec<String> = list.iter().map(Value::to_string).collect();
    (!said.is_empty()).then(|| said.join("; "))
}

fn code_of(envelope: &Value) -> Option<String> {
    let error = envelope.get("error").unwrap_or(envelope);
    ["code", "type"]
        .into_iter()
        .find_map(|name| error.get(name)?.as_str())
        .map(str::to_owned)
}

/// `Retry-After`: seconds, or a date.
fn wait_of(value: &str, now: DateTime<Utc>) -> Option<Duration> {
    seconds(value).or_else(|| {
        let until = DateTime::parse_from_rfc2822(value.trim()).ok()?;
        // A time in the past means no wait.
        Some((until.to_utc() - now).to_std().unwrap_or_default())
    })
}

fn seconds(number: &str) -> Option<Duration> {
    Duration::try_from_secs_f64(number.trim().parse().ok()?).ok()
}

/// The text of a body that is not JSON: the title of a page, or the whole body.
fn page_words(body: &str) -> String {
    let lower = body.to_ascii_lowercase();
    let title = lower.find("<title>").and_then(|start| {
        let start = start + "<title>".len();
        let len = lower[start..].find("</title>")?;
        body.get(start..start + len)
    });
    title.unwrap_or(body).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_of_error_is_read() {
        for (body, code, message) in [
            (
                r#"{"error":{"message":"no","type":"invalid_request_error","param":null,"code":"bad"}}"#,
                Some("bad"),
                "no",
            ),
            (
                r#"{"error":{"message":"no","type":"not_found_error","code":null}}"#,
                Some("not_found_error"),
                "no",
            ),
            (
                r#"{"error":"model \"x\" not found"}"#,
                None,
                "model \"x\" not found",
            ),
            (
                r#"{"object":"error","message":"too long","type":"BadRequestError","code":400}"#,
                Some("BadRequestError"),
                "too long",
            ),
            (r#"{"detail":"Not Found"}"#, None, "Not Found"),
            (
                r#"[{"error":{"code":400,"message":"listed","status":"X"}}]"#,
                None,
                "listed",
            ),
            ("<html><title>502 Bad Gateway</title>", None, "502 Bad Gateway"),
            ("plain words\n", None, "plain words"),
        ] {
            let refusal = OpenAiRefusal::read(400, &HeaderMap::new(), body.as_bytes(), Utc::now());
            assert_eq!(
                (refusal.code.as_deref(), refusal.message.as_str()),
                (code, message),
                "{body}"
            );
        }
        let listed =
            br#"{"detail":[{"loc":["body","response_format"],"msg":"Extra inputs are not permitted"}]}"#;
        assert!(OpenAiRefusal::read(422, &HeaderMap::new(), listed, Utc::now()).names(&["response_format"]));
    }

    #[test]
    fn waits_are_read() {
        let now = DateTime::parse_from_rfc2822("Sun, 15 Nov 2026 10:00:00 GMT")
            .unwrap()
            .to_utc();
        for (value, expected) in [
            ("7", Some(7_000)),
            ("1.5", Some(1_500)),
            ("Sun, 15 Nov 2026 10:00:30 GMT", Some(30_000)),
            ("Sun, 15 Nov 2026 09:00:00 GMT", Some(0)),
            ("soon", None),
            ("-1", None),
        ] {
            assert_eq!(
                wait_of(value, now).map(|wait| wait.as_millis()),
                expected,
                "{value}"
            );
        }
    }
}
