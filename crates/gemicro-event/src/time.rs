//! Timestamps on the wire and in the store: UTC, in whole milliseconds.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};

/// A time in milliseconds since 1970; RFC 3339 in UTC with milliseconds on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Timestamp(i64);

/// The text is not an RFC 3339 time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an RFC 3339 time such as 2026-11-15T09:30:00.000Z")]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub struct TimestampError {
    pub text: String,
}

impl Timestamp {
    /// The current time of the system's clock. Only edges, journals and the engine call this; flows read
    /// time from events.
    #[must_use]
    pub fn now() -> Self {
        Self(Utc::now().timestamp_millis())
    }

    /// Converts milliseconds since 1970; times outside the years 0 to 9999 are clamped.
    #[must_use]
    pub fn from_millis(millis: i64) -> Self {
        const YEAR_0: i64 = -62_167_219_200_000;
        const YEAR_9999: i64 = 253_402_300_799_999;
        Self(millis.clamp(YEAR_0, YEAR_9999))
    }

    /// Milliseconds since 1970-01-01 UTC; negative before.
    #[must_use]
    pub fn as_millis(self) -> i64 {
        self.0
    }

    /// The time `after` later.
    #[must_use]
    pub fn plus(self, after: Duration) -> Self {
        Self::from_millis(
            self.0
                .saturating_add(i64::try_from(after.as_millis()).unwrap_or(i64::MAX)),
        )
    }

    /// The time since `earlier`; zero if `earlier` is later.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moment = DateTime::from_timestamp_millis(self.0).unwrap_or_default();
        f.write_str(&moment.to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

impl FromStr for Timestamp {
    type Err = TimestampError;

    fn from_str(text: &str) -> Result<Self, TimestampError> {
        DateTime::parse_from_rfc3339(text)
            .map(|moment| Self::from_millis(moment.timestamp_millis()))
            .map_err(|_| TimestampError {
                text: text.chars().take(80).collect(),
            })
    }
}

impl TryFrom<String> for Timestamp {
    type Error = TimestampError;

    fn try_from(text: String) -> Result<Self, TimestampError> {
        text.parse()
    }
}

impl From<Timestamp> for String {
    fn from(moment: Timestamp) -> Self {
        moment.to_string()
    }
}

impl schemars::JsonSchema for Timestamp {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Timestamp".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "format": "date-time" })
    }
}
