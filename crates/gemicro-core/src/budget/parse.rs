//! The text form of limits: `50k`, `$0.50`, `10m`, `12turns`.

use std::str::FromStr;

use super::{LimitKind, Limits};

/// The largest amount that can be set: JSON numbers represent it exactly.
const MAX: u64 = (1 << 53) - 1;

/// A text is not a limit, or two limits conflict.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum LimitsError {
    /// The text has no known form.
    #[error(
        "`{text}` is not a budget: write tokens as 50k or 1.5M, money as $0.50, time as 10m or 1h30m, turns as 12turns"
    )]
    Unreadable { text: String },
    /// The amount is zero.
    #[error("a budget of `{text}` allows nothing: give at least 1 token, $0.000001, 1ms or 1turns")]
    Zero { text: String },
    /// The amount is below zero.
    #[error("a budget cannot be negative as in `{text}`: write for example 50k, $0.50 or 10m")]
    Negative { text: String },
    /// The amount has more decimals than its unit has parts.
    #[error(
        "`{text}` is finer than can be counted: use whole tokens, at most 6 decimals of a dollar, whole milliseconds"
    )]
    TooFine { text: String },
    /// The amount is larger than can be counted.
    #[error("`{text}` is too large for a budget: leave the limit out instead")]
    TooLarge { text: String },
    /// The same kind of limit was given twice.
    #[error("two limits on {kind}, {first} and {second}: give one")]
    Duplicate {
        kind: LimitKind,
        /// The first one, in the same syntax.
        first: String,
        second: String,
    },
}

impl FromStr for Limits {
    type Err = LimitsError;

    /// Reads one argument of `--budget`: one limit, or several with commas between.
    fn from_str(text: &str) -> Result<Self, LimitsError> {
        if text.trim() == "unlimited" {
            return Ok(Self::NONE);
        }
        text.split(',')
            .map(|part| one_limit(part.trim()))
            .try_fold(Self::NONE, |all, one| all.merge(one?))
    }
}

fn one_limit(text: &str) -> Result<Limits, LimitsError> {
    let given = || text.chars().take(60).collect::<String>();
    if text.starts_with('-') || text.starts_with("$-") {
        return Err(LimitsError::Negative { text: given() });
    }
    let (kind, amount) = match text.strip_prefix('$') {
        Some(dollars) => (LimitKind::Money, parse_scaled(dollars, 1_000_000)),
        None => plain(text),
    };
    let amount = match amount {
        Ok(0) => return Err(LimitsError::Zero { text: given() }),
        Ok(amount) => amount,
        Err(Unfit::Unreadable) => return Err(LimitsError::Unreadable { text: given() }),
        Err(Unfit::TooFine) => return Err(LimitsError::TooFine { text: given() }),
        Err(Unfit::TooLarge) => return Err(LimitsError::TooLarge { text: given() }),
    };
    let cap = Some(amount);
    Ok(match kind {
        LimitKind::Tokens => Limits {
            tokens: cap,
            ..Limits::NONE
        },
        LimitKind::Money => Limits {
            micro_usd: cap,
            ..Limits::NONE
        },
        LimitKind::WallTime => Limits {
            wall_ms: cap,
            ..Limits::NONE
        },
        LimitKind::Turns => Limits {
            turns: cap,
            ..Limits::NONE
        },
    })
}

/// Why an amount cannot be parsed.
#[derive(Debug, Clone, Copy)]
enum Unfit {
    Unreadable,
    TooFine,
    TooLarge,
}

fn plain(text: &str) -> (LimitKind, Result<u64, Unfit>) {
    let unit_from = text
        .find(|letter: char| letter.is_ascii_alphabetic())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(unit_from);
    match unit {
        "" => (LimitKind::Tokens, parse_scaled(number, 1)),
        "k" | "K" => (LimitKind::Tokens, parse_scaled(number, 1_000)),
        "M" => (LimitKind::Tokens, parse_scaled(number, 1_000_000)),
        "turns" | "turn" => (LimitKind::Turns, parse_scaled(number, 1)),
        _ => (LimitKind::WallTime, wall_time(text)),
    }
}

/// `1h30m`, `90s`, `1.5h`, `250ms`: parts in descending order, each unit once.
fn wall_time(text: &str) -> Result<u64, Unfit> {
    let mut rest = text;
    let mut last_unit = u64::MAX;
    let mut total = 0u64;
    while !rest.is_empty() {
        let unit_from = rest
            .find(|letter: char| letter.is_ascii_alphabetic())
            .ok_or(Unfit::Unreadable)?;
        let (number, after) = rest.split_at(unit_from);
        let unit_to = after
            .find(|letter: char| !letter.is_ascii_alphabetic())
            .unwrap_or(after.len());
        let (unit, next) = after.split_at(unit_to);
        let unit_ms = match unit {
            "h" => 3_600_000,
            "m" | "min" => 60_000,
            "s" => 1_000,
            "ms" => 1,
            _ => return Err(Unfit::Unreadable),
        };
        if unit_ms >= last_unit {
            return Err(Unfit::Unreadable);
        }
        last_unit = unit_ms;
        total = total
            .checked_add(parse_scaled(number, unit_ms)?)
            .filter(|&total| total <= MAX)
            .ok_or(Unfit::TooLarge)?;
        rest = next;
    }
    Ok(total)
}

/// A decimal number times `unit`, exactly.
fn parse_scaled(number: &str, unit: u64) -> Result<u64, Unfit> {
    let (whole, decimals) = number.split_once('.').unwrap_or((number, "0"));
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits(whole) || !is_digits(decimals) {
        return Err(Unfit::Unreadable);
    }
    let decimals = decimals.trim_end_matches('0');
    let whole: u64 = whole.parse().map_err(|_| Unfit::TooLarge)?;
    // No unit has more than seven useful decimals, so a longer fraction is never whole.
    if decimals.len() > 9 {
        return Err(Unfit::TooFine);
    }
    let fraction: u64 = if decimals.is_empty() {
        0
    } else {
        decimals.parse().map_err(|_| Unfit::TooFine)?
    };
    let parts = 10u64.pow(u32::try_from(decimals.len()).map_err(|_| Unfit::TooFine)?);
    let scaled_fraction = fraction.checked_mul(unit).ok_or(Unfit::TooFine)?;
    if scaled_fraction % parts != 0 {
        return Err(Unfit::TooFine);
    }
    let total = whole
        .checked_mul(unit)
        .and_then(|total| total.checked_add(scaled_fraction / parts));
    total.filter(|&total| total <= MAX).ok_or(Unfit::TooLarge)
}
