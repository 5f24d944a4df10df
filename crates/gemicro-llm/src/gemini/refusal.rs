//! Parses an HTTP error of the service: both JSON formats, HTML pages, and the retry delay.

use std::time::Duration;

use chrono::{DateTime, Utc};
use reqwest::header::{HeaderMap, RETRY_AFTER};
use serde_json::Value;

/// The header with the service's request id.
pub(super) const REQUEST_ID: &str = "x-goog-request-id";

/// An HTTP error response of the service.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GeminiRefusal {
    pub(super) status: u16,
    /// `rate_limit_exceeded` or `RESOURCE_EXHAUSTED`, depending on the format.
    pub(super) code: Option<String>,
    /// The message; for an HTML page its title.
    pub(super) message: String,
    /// Whether it was in one of the service's JSON formats.
    pub(super) is_envelope: bool,
    pub(super) reasons: Vec<String>,
    pub(super) quotas: Vec<ExceededQuota>,
    pub(super) request_id: Option<String>,
    pub(super) retry_after: Option<Duration>,
}

/// A quota that was exceeded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ExceededQuota {
    pub(super) id: String,
    pub(super) value: String,
}

impl GeminiRefusal {
    /// Parses status, headers and body.
    pub(super) fn read(status: u16, headers: &HeaderMap, body: &[u8], now: DateTime<Utc>) -> Self {
        let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let text = String::from_utf8_lossy(body);
        let value: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
        // Some endpoints wrap the error in a list.
        let envelope = value.get(0).unwrap_or(&value);
        let error = envelope.get("error").filter(|error| error.is_object());
        let null = Value::Null;
        let details = error.and_then(|error| error.get("details")).unwrap_or(&null);
        let message_text = error
            .and_then(|error| error.get("message"))
            .and_then(Value::as_str);
        let message = message_text.map_or_else(|| page_words(&text), str::to_owned);
        let after_header = header(RETRY_AFTER.as_str()).and_then(|value| header_delay(value, now));
        let retry_after = after_header
            .or_else(|| body_delay(details))
            .or_else(|| message_delay(&message));
        Self {
            status,
            code: error.and_then(code_of),
            message,
            is_envelope: error.is_some(),
            reasons: texts(details, "reason"),
            quotas: quotas(details),
            request_id: header(REQUEST_ID).map(str::to_owned),
            retry_after,
        }
    }

    /// Whether it lasts until the next day.
    pub(super) fn is_daily(&self) -> bool {
        self.code.as_deref() == Some("quota_exceeded")
            || self.quotas.iter().any(|quota| quota.id.contains("PerDay"))
    }

    /// Whether the key is the problem.
    pub(super) fn is_about_key(&self) -> bool {
        let message = self.message.to_ascii_lowercase();
        self.reasons.iter().any(|reason| reason.starts_with("API_KEY"))
            || message.contains("api key not valid")
            || message.contains("api key expired")
    }
}

fn code_of(error: &Value) -> Option<String> {
    let word = |name: &str| error.get(name).and_then(Value::as_str);
    word("status").or_else(|| word("code")).map(str::to_owned)
}

fn entries(details: &Value) -> impl Iterator<Item = &Value> {
    details.as_array().into_iter().flatten()
}

fn texts(details: &Value, name: &'static str) -> Vec<String> {
    let found = entries(details).filter_map(|entry| entry.get(name)?.as_str());
    found.map(str::to_owned).collect()
}

fn quotas(details: &Value) -> Vec<ExceededQuota> {
    let violations = entries(details).filter_map(|entry| entry.get("violations")?.as_array());
    let text = |violation: &Value, name: &str| {
        let value = violation.get(name).and_then(Value::as_str);
        value.unwrap_or_default().to_owned()
    };
    let quota = |violation| ExceededQuota {
        id: text(violation, "quotaId"),
        value: text(violation, "quotaValue"),
    };
    violations.flatten().map(quota).collect()
}

/// `Retry-After`: seconds, or a date.
fn header_delay(value: &str, now: DateTime<Utc>) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let moment = DateTime::parse_from_rfc2822(value).ok()?;
    Some((moment.to_utc() - now).to_std().unwrap_or(Duration::ZERO))
}

fn body_delay(details: &Value) -> Option<Duration> {
    let delay = entries(details).find_map(|entry| entry.get("retryDelay")?.as_str())?;
    seconds(delay.trim().strip_suffix('s')?)
}

/// `… Please retry in 12.5s.`: errors of the Interactions API have no details, but may say it in the message.
fn message_delay(message: &str) -> Option<Duration> {
    let rest = message.split("retry in ").nth(1)?;
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = rest.split_at(end);
    if unit.starts_with("ms") {
        return Some(seconds(number)? / 1_000);
    }
    unit.starts_with('s').then(|| seconds(number))?
}

fn seconds(number: &str) -> Option<Duration> {
    Duration::try_from_secs_f64(number.parse().ok()?).ok()
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
#[path = "refusal_tests.rs"]
mod tests;
