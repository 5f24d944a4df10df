//! Values with their own notation: durations and amounts of money.
//!
//! The main types are [`Milliseconds`] and [`MicroUsd`].

use serde::de::{Deserialize, Deserializer, Error};

/// Maximum duration, in milliseconds: a day.
const MOST_MS: u64 = 24 * 3_600_000;
/// Maximum amount, in US dollars.
const MOST_USD: f64 = 10_000.0;

/// A duration such as `90s`, `30m` or `2h`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Milliseconds(pub(super) u64);

impl Milliseconds {
    pub(super) const fn minutes(minutes: u64) -> Self {
        Self(minutes * 60_000)
    }

    fn read(text: &str) -> Option<u64> {
        let unit_ms = match text.as_bytes().last()? {
            b's' => 1_000,
            b'm' => 60_000,
            b'h' => 3_600_000,
            _ => return None,
        };
        let number = &text[..text.len() - 1];
        let is_plain = number.bytes().all(|byte| byte.is_ascii_digit());
        let count: u64 = is_plain.then(|| number.parse().ok()).flatten()?;
        count.checked_mul(unit_ms).filter(|ms| (1..=MOST_MS).contains(ms))
    }
}

impl<'de> Deserialize<'de> for Milliseconds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::read(&text).map(Self).ok_or_else(|| {
            let message = format!("`{text}` is not a duration: write 90s, 30m or 2h, at most 24h");
            D::Error::custom(message)
        })
    }
}

/// An amount of money, written in US dollars and stored in millionths.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MicroUsd(pub(super) u64);

impl<'de> Deserialize<'de> for MicroUsd {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let usd = f64::deserialize(deserializer)?;
        if !(usd > 0.0 && usd <= MOST_USD) {
            return Err(D::Error::custom(format!(
                "`{usd}` is not an amount: write US dollars, such as 2.5, more than 0 and at most 10000"
            )));
        }
        // Between 0 and 10^10, so the cast is lossless.
        Ok(Self((usd * 1_000_000.0).round() as u64))
    }
}

/// Formats milliseconds like `90s`, `30m` or `2h`.
pub(super) fn duration_text(ms: u64) -> String {
    match ms {
        ms if ms.is_multiple_of(3_600_000) => format!("{}h", ms / 3_600_000),
        ms if ms.is_multiple_of(60_000) => format!("{}m", ms / 60_000),
        ms => format!("{}s", ms / 1_000),
    }
}
