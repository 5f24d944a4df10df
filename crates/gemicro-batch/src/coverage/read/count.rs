//! Parses numbers as coverage tools write them.

use crate::coverage::bounds::{MAX_COUNT, MAX_LINE};

/// Parses an execution count. Values above the maximum are clamped; negative ones, which gcov can write, become 0.
pub(super) fn count(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let (digits, is_negative) = match text.strip_prefix('-') {
        Some(digits) => (digits, true),
        None => (text, false),
    };
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let count = digits.parse().unwrap_or(u64::MAX).min(MAX_COUNT);
        return Ok(if is_negative { 0 } else { count });
    }
    let is_number = digits.bytes().next().is_some_and(|byte| byte.is_ascii_digit());
    match text.parse::<f64>() {
        Ok(count) if is_number && count.is_finite() => Ok(of_float(count)),
        Ok(_) | Err(_) => Err(format!("expected a count, found `{}`", quote_start(text))),
    }
}

/// Converts a float to a count; NaN becomes 0.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a cast of a float saturates, and nothing is what a negative count means"
)]
pub(super) fn of_float(count: f64) -> u64 {
    (count as u64).min(MAX_COUNT)
}

/// Parses a line number; `None` for 0, by which tools mean no line at all.
pub(super) fn line(text: &str) -> Result<Option<u32>, String> {
    let text = text.trim();
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_plain {
        return Err(format!(
            "expected the number of a line, found `{}`",
            quote_start(text)
        ));
    }
    of_number(text.parse().unwrap_or(u64::MAX))
}

/// Like `line`, for a parsed number.
pub(super) fn of_number(number: u64) -> Result<Option<u32>, String> {
    match u32::try_from(number) {
        Ok(0) => Ok(None),
        Ok(line) if line <= MAX_LINE => Ok(Some(line)),
        Ok(_) | Err(_) => Err(format!(
            "line {number} is beyond {MAX_LINE}, the last that is read"
        )),
    }
}

/// The start of untrusted text, escaped for a message.
pub(super) fn quote_start(text: &str) -> String {
    const MOST: usize = 60;
    let mut shown: String = text.chars().take(MOST).flat_map(char::escape_debug).collect();
    if text.chars().nth(MOST).is_some() {
        shown.push('…');
    }
    shown
}
