//! Reads how long a limit lasts from its message.

use chrono::{DateTime, FixedOffset};

use super::clock;

/// Maximum wait; longer ones are misread numbers.
const MAX_MS: u64 = 40 * 24 * 3_600_000;

/// Phrases that precede a duration.
const LEADS: &[&str] = &[
    "retry after ",
    "retry in ",
    "try again in ",
    "reset after ",
    "resets after ",
    "reset in ",
    "resets in ",
    "retrydelay\":\"",
    "retrydelay\": \"",
    "retry-after: ",
    "retry_after\":",
];

/// Returns the milliseconds until the limit in this text ends; `None` if it does not say.
///
/// It reads durations (`retry in 34.5s`, `try again in 3 days 4 hours`), Unix timestamps (`limit reached|1794700000`),
/// RFC 3339, and times of day (`resets 3pm`, `try again at Nov 20th, 2026 3:05 PM`).
pub(crate) fn wait_ms(text: &str, now: DateTime<FixedOffset>) -> Option<u64> {
    let text = text.to_lowercase();
    let stated = LEADS
        .iter()
        .find_map(|lead| text.split(lead).skip(1).find_map(duration_ms));
    stated
        .or_else(|| epoch_ms(&text, now))
        .or_else(|| clock::wait_ms(&text, now))
        .filter(|ms| *ms <= MAX_MS)
}

/// Parses numbers with units: `1s`, `18h20m5s`, `3 days, 4 hours and 5 minutes`; a bare number is seconds.
fn duration_ms(text: &str) -> Option<u64> {
    let mut rest = text;
    let mut total: Option<f64> = None;
    loop {
        let trimmed = rest.trim_start_matches([' ', ',']);
        let trimmed = trimmed.strip_prefix("and ").unwrap_or(trimmed);
        let end = trimmed
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(trimmed.len());
        let (digits, after) = trimmed.split_at(end);
        let Ok(number) = digits.trim_end_matches('.').parse::<f64>() else {
            break;
        };
        let after = after.trim_start_matches(' ');
        let unit_end = after
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(after.len());
        let (unit, after) = after.split_at(unit_end);
        let factor = match (unit, total) {
            ("ms" | "millisecond" | "milliseconds", _) => 1.0,
            ("s" | "sec" | "secs" | "second" | "seconds", _) => 1_000.0,
            ("m" | "min" | "mins" | "minute" | "minutes", _) => 60_000.0,
            ("h" | "hr" | "hrs" | "hour" | "hours", _) => 3_600_000.0,
            ("d" | "day" | "days", _) => 86_400_000.0,
            (_, None) => return to_ms(number * 1_000.0),
            (_, Some(_)) => break,
        };
        total = Some(total.unwrap_or(0.0) + number * factor);
        rest = after;
    }
    to_ms(total?)
}

fn to_ms(ms: f64) -> Option<u64> {
    // In range and non-negative, so the cast is exact.
    (ms.is_finite() && ms <= 1e15).then_some(ms.ceil() as u64)
}

/// Parses `…limit reached|1794700000`, in seconds or milliseconds.
fn epoch_ms(text: &str, now: DateTime<FixedOffset>) -> Option<u64> {
    let moment = text.split('|').skip(1).find_map(|rest| {
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        match digits.len() {
            10 => digits.parse::<i64>().ok()?.checked_mul(1_000),
            13 => digits.parse::<i64>().ok(),
            _ => None,
        }
    })?;
    Some(u64::try_from(moment - now.timestamp_millis()).unwrap_or(0))
}
