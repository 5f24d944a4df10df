//! A limit of the provider, read from its 429.

use std::time::Duration;

use chrono::{DateTime, Utc};
use gemicro_event::Timestamp;
use reqwest::header::HeaderMap;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A limit that a provider told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderQuota {
    /// When it ends, as far as told.
    pub until: Option<Timestamp>,
    /// What sort it is.
    pub kind: QuotaKind,
}

/// What sort of limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuotaKind {
    /// So much in a short time: waiting helps.
    Rate,
    /// So much a day, a week or a month.
    Long,
    /// The account has no credit left: waiting does not help.
    Credit,
}

/// Longer waits are not believed.
const LONGEST: Duration = Duration::from_secs(40 * 24 * 3_600);
/// A limit that lasts longer than this is no rate.
const LONG: Duration = Duration::from_secs(3_600);

impl ProviderQuota {
    pub(super) fn read(headers: &HeaderMap, body: &[u8], now: DateTime<Utc>) -> Self {
        let body: Value = serde_json::from_slice(body).unwrap_or_default();
        let error = body.get(0).unwrap_or(&body).get("error").unwrap_or(&Value::Null);
        let wait = from_headers(headers, now)
            .or_else(|| from_body(error, now))
            .or_else(|| resets(headers, now))
            .filter(|wait| *wait <= LONGEST);
        let words = words(error);
        let says = |names: &[&str]| names.iter().any(|name| words.contains(name));
        let kind = if says(&["insufficient_quota", "billing", "credit"]) {
            QuotaKind::Credit
        } else if says(&["perday", "quota_exceeded", "usage_limit", "daily"])
            || wait.is_some_and(|wait| wait > LONG)
        {
            QuotaKind::Long
        } else {
            QuotaKind::Rate
        };
        let until = wait.map(|wait| {
            let millis = i64::try_from(wait.as_millis()).unwrap_or(i64::MAX);
            Timestamp::from_millis(now.timestamp_millis().saturating_add(millis))
        });
        Self { until, kind }
    }
}

/// Codes and quota names, in lower case; not the message, which may quote anything.
fn words(error: &Value) -> String {
    let mut words = String::new();
    for name in ["code", "type", "status"] {
        words.push_str(error.get(name).and_then(Value::as_str).unwrap_or_default());
        words.push(' ');
    }
    for violation in details(error)
        .filter_map(|detail| detail.get("violations")?.as_array())
        .flatten()
    {
        words.push_str(
            violation
                .get("quotaId")
                .and_then(Value::as_str)
                .unwrap_or_default(),
        );
        words.push(' ');
    }
    words.to_ascii_lowercase()
}

fn details(error: &Value) -> impl Iterator<Item = &Value> {
    error
        .get("details")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

fn from_headers(headers: &HeaderMap, now: DateTime<Utc>) -> Option<Duration> {
    let header = |name: &str| headers.get(name)?.to_str().ok();
    if let Some(millis) = header("retry-after-ms").and_then(seconds) {
        return Some(millis / 1_000);
    }
    let value = header("retry-after")?;
    seconds(value).or_else(|| until(DateTime::parse_from_rfc2822(value.trim()).ok()?.to_utc(), now))
}

/// `RetryInfo` of Google; `resets_at` and `resets_in_seconds` of OpenAI.
fn from_body(error: &Value, now: DateTime<Utc>) -> Option<Duration> {
    let retry_delay = details(error).find_map(|detail| detail.get("retryDelay")?.as_str());
    if let Some(delay) = retry_delay.and_then(|retry_delay| seconds(retry_delay.trim().strip_suffix('s')?)) {
        return Some(delay);
    }
    if let Some(delay) = error.get("resets_in_seconds").and_then(Value::as_f64) {
        return Duration::try_from_secs_f64(delay).ok();
    }
    until(
        DateTime::from_timestamp(error.get("resets_at")?.as_i64()?, 0)?,
        now,
    )
}

/// The latest of the reset times that Anthropic and OpenAI tell of limits with nothing left.
fn resets(headers: &HeaderMap, now: DateTime<Utc>) -> Option<Duration> {
    let mut latest = None;
    for (name, value) in headers {
        let name = name.as_str();
        if !name.contains("ratelimit") || !name.contains("reset") {
            continue;
        }
        let remaining = headers.get(name.replace("reset", "remaining"));
        if remaining.is_some_and(|remaining| remaining != "0") {
            continue;
        }
        latest = latest.max(value.to_str().ok().and_then(|value| reset(value.trim(), now)));
    }
    latest
}

/// A moment in RFC 3339, a moment in seconds since 1970, or a time such as `6m0s`.
fn reset(value: &str, now: DateTime<Utc>) -> Option<Duration> {
    if let Ok(moment) = DateTime::parse_from_rfc3339(value) {
        return until(moment.to_utc(), now);
    }
    if let Ok(number) = value.parse::<i64>() {
        const A_MOMENT: i64 = 1_000_000_000;
        return if number > A_MOMENT {
            until(DateTime::from_timestamp(number, 0)?, now)
        } else {
            Some(Duration::from_secs(u64::try_from(number).ok()?))
        };
    }
    let mut total = Duration::ZERO;
    let mut rest = value;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number = seconds(&rest[..end])?;
        let unit_end = rest[end..]
            .find(|c: char| c.is_ascii_digit())
            .map_or(rest.len(), |n| end + n);
        total += match &rest[end..unit_end] {
            "ms" => number / 1_000,
            "s" => number,
            "m" => number.checked_mul(60)?,
            "h" => number.checked_mul(3_600)?,
            "d" => number.checked_mul(86_400)?,
            _ => return None,
        };
        rest = &rest[unit_end..];
    }
    Some(total)
}

fn until(moment: DateTime<Utc>, now: DateTime<Utc>) -> Option<Duration> {
    // A moment that has passed is no wait.
    Some((moment - now).to_std().unwrap_or_default())
}

fn seconds(number: &str) -> Option<Duration> {
    let wait = Duration::try_from_secs_f64(number.trim().parse().ok()?).ok()?;
    (wait <= LONGEST * 1_000).then_some(wait)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_tell_a_wait_is_read() {
        let now = DateTime::parse_from_rfc3339("2026-11-15T10:00:00Z")
            .unwrap()
            .to_utc();
        let google = r#"{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":[{"violations":[{"quotaId":"GenerateRequestsPerDayPerProject"}]},{"retryDelay":"35.5s"}]}}"#;
        let codex = r#"{"error":{"type":"usage_limit_reached","resets_in_seconds":90}}"#;
        let credit = r#"{"error":{"code":"insufficient_quota","message":"x"}}"#;
        type Case<'a> = (&'a [(&'a str, &'a str)], &'a str, Option<u64>, QuotaKind);
        let cases: &[Case<'_>] = &[
            (&[("retry-after", "7")], "", Some(7_000), QuotaKind::Rate),
            (&[("retry-after-ms", "250")], "{}", Some(250), QuotaKind::Rate),
            (
                &[("retry-after", "Sun, 15 Nov 2026 10:00:30 GMT")],
                "<html>",
                Some(30_000),
                QuotaKind::Rate,
            ),
            (&[("retry-after", "7200")], "", Some(7_200_000), QuotaKind::Long),
            (&[("retry-after", "soon")], "", None, QuotaKind::Rate),
            (&[("retry-after", "1e300")], "", None, QuotaKind::Rate),
            (&[], google, Some(35_500), QuotaKind::Long),
            (&[], codex, Some(90_000), QuotaKind::Long),
            (&[], credit, None, QuotaKind::Credit),
            (
                &[
                    ("x-ratelimit-reset-requests", "1m30s"),
                    ("x-ratelimit-remaining-requests", "0"),
                    ("x-ratelimit-reset-tokens", "9h"),
                    ("x-ratelimit-remaining-tokens", "5"),
                ],
                "",
                Some(90_000),
                QuotaKind::Rate,
            ),
            (
                &[("anthropic-ratelimit-unified-reset", "1794736860")],
                "",
                Some(60_000),
                QuotaKind::Rate,
            ),
            (
                &[("anthropic-ratelimit-requests-reset", "2026-11-15T10:00:02Z")],
                "",
                Some(2_000),
                QuotaKind::Rate,
            ),
            (&[], "not JSON", None, QuotaKind::Rate),
        ];
        for (given_headers, body, millis, kind) in cases {
            let mut headers = HeaderMap::new();
            for (name, value) in *given_headers {
                headers.insert(
                    reqwest::header::HeaderName::from_static(name),
                    value.parse().unwrap(),
                );
            }
            let quota = ProviderQuota::read(&headers, body.as_bytes(), now);
            let wait = quota
                .until
                .map(|until| (until.as_millis() - now.timestamp_millis()).unsigned_abs());
            assert_eq!((wait, quota.kind), (*millis, *kind), "{given_headers:?} {body}");
        }
    }
}
