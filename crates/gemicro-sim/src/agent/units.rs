//! Durations in scripts.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A duration: `250ms`, `2s`, `1m`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Pause(Duration);

impl Pause {
    /// Returns the duration.
    #[must_use]
    pub fn duration(self) -> Duration {
        self.0
    }
}

impl TryFrom<String> for Pause {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let unit = match &text[digits.len()..] {
            "ms" => Some(1),
            "s" => Some(1_000),
            "m" => Some(60_000),
            _ => None,
        };
        let number: Option<u64> = digits.parse().ok();
        match number
            .zip(unit)
            .and_then(|(number, unit)| number.checked_mul(unit))
        {
            Some(ms) => Ok(Self(Duration::from_millis(ms))),
            None => Err(format!(
                "`{text}` is not a time: expected one like 250ms, 2s or 1m"
            )),
        }
    }
}

impl From<Pause> for String {
    fn from(pause: Pause) -> Self {
        format!("{}ms", pause.0.as_millis())
    }
}
