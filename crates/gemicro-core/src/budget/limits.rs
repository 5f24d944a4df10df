//! Limits that the user sets.

use std::fmt;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::LimitsError;

/// Caps for a run, step, batch or day; absent means no cap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Limits {
    /// Tokens, input and output together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Millionths of a US dollar.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub micro_usd: Option<u64>,
    /// Wall time in milliseconds. The ledger has no clock; the engine enforces this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wall_ms: Option<u64>,
    /// Number of turns that models and agents may take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<u64>,
}

/// The four kinds of limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LimitKind {
    /// Tokens, input and output together.
    Tokens,
    /// US dollars that models may cost.
    Money,
    /// Elapsed time of the run or step.
    WallTime,
    /// Turns that models and agents take.
    Turns,
}

impl Limits {
    /// No cap at all.
    pub const NONE: Self = Self {
        tokens: None,
        micro_usd: None,
        wall_ms: None,
        turns: None,
    };

    /// Joins the limits of two arguments.
    ///
    /// # Errors
    /// When both set the same kind of limit: it is unclear which one is meant.
    pub fn merge(self, other: Self) -> Result<Self, LimitsError> {
        let one = |kind, first: Option<u64>, second: Option<u64>| match (first, second) {
            (Some(first), Some(second)) => Err(LimitsError::Duplicate {
                kind,
                first: kind.amount(first),
                second: kind.amount(second),
            }),
            (first, second) => Ok(first.or(second)),
        };
        Ok(Self {
            tokens: one(LimitKind::Tokens, self.tokens, other.tokens)?,
            micro_usd: one(LimitKind::Money, self.micro_usd, other.micro_usd)?,
            wall_ms: one(LimitKind::WallTime, self.wall_ms, other.wall_ms)?,
            turns: one(LimitKind::Turns, self.turns, other.turns)?,
        })
    }

    /// Joins the limits of all arguments.
    ///
    /// # Errors
    /// When two set the same kind of limit.
    pub fn merge_all(all: impl IntoIterator<Item = Self>) -> Result<Self, LimitsError> {
        all.into_iter().try_fold(Self::NONE, Self::merge)
    }

    /// The wall time as a duration.
    #[must_use]
    pub fn wall(&self) -> Option<Duration> {
        self.wall_ms.map(Duration::from_millis)
    }
}

impl fmt::Display for Limits {
    /// The syntax that parsing reads: `50k,$0.50,10m,12turns`; `unlimited` without any cap.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let caps = [
            (LimitKind::Tokens, self.tokens),
            (LimitKind::Money, self.micro_usd),
            (LimitKind::WallTime, self.wall_ms),
            (LimitKind::Turns, self.turns),
        ];
        let mut set = caps
            .iter()
            .filter_map(|&(kind, cap)| cap.map(|cap| kind.amount(cap)))
            .peekable();
        if set.peek().is_none() {
            return f.write_str("unlimited");
        }
        f.write_str(&set.collect::<Vec<_>>().join(","))
    }
}

impl LimitKind {
    /// Formats an amount of this kind in the syntax of `--budget`.
    #[must_use]
    pub fn amount(self, amount: u64) -> String {
        match self {
            Self::Tokens if amount > 0 && amount.is_multiple_of(1_000_000) => {
                format!("{}M", amount / 1_000_000)
            }
            Self::Tokens if amount > 0 && amount.is_multiple_of(1_000) => format!("{}k", amount / 1_000),
            Self::Tokens => amount.to_string(),
            Self::Money => money(amount),
            Self::WallTime => wall_time(amount),
            Self::Turns => format!("{amount}turns"),
        }
    }
}

impl fmt::Display for LimitKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tokens => "tokens",
            Self::Money => "money",
            Self::WallTime => "wall time",
            Self::Turns => "turns",
        })
    }
}

fn money(micro_usd: u64) -> String {
    let (whole, rest) = (micro_usd / 1_000_000, micro_usd % 1_000_000);
    if rest == 0 {
        return format!("${whole}");
    }
    let digits = format!("{rest:06}");
    let cents = digits.trim_end_matches('0');
    format!("${whole}.{cents:0<2}")
}

fn wall_time(wall_ms: u64) -> String {
    let parts = [
        (wall_ms / 3_600_000, "h"),
        (wall_ms / 60_000 % 60, "m"),
        (wall_ms / 1_000 % 60, "s"),
        (wall_ms % 1_000, "ms"),
    ];
    let text: String = parts
        .iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, unit)| format!("{n}{unit}"))
        .collect();
    if text.is_empty() { "0s".to_owned() } else { text }
}
