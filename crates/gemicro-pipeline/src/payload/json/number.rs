//! Reads numbers: as whole ones where they fit, as doubles else; what no double can hold is refused.

use serde_json::Number;

use super::reader::Reader;

/// Reads a number.
pub(super) fn read(reader: &mut Reader<'_>) -> Option<Number> {
    let start = reader.at;
    reader.take("-");
    match reader.peek()? {
        b'0' => reader.at += 1,
        b'1'..=b'9' => digits(reader)?,
        _ => return None,
    }
    let mut is_whole = true;
    if reader.take(".") {
        is_whole = false;
        digits(reader)?;
    }
    if reader.take("e") || reader.take("E") {
        is_whole = false;
        if !reader.take("+") {
            reader.take("-");
        }
        digits(reader)?;
    }
    let written = &reader.text[start..reader.at];
    if is_whole {
        if let Ok(number) = written.parse::<u64>() {
            return Some(number.into());
        }
        if let Ok(number) = written.parse::<i64>() {
            return Some(number.into());
        }
    }
    // Nothing for an infinite one.
    Number::from_f64(written.parse().ok()?)
}

/// One digit or more.
fn digits(reader: &mut Reader<'_>) -> Option<()> {
    let start = reader.at;
    while reader.peek().is_some_and(|byte| byte.is_ascii_digit()) {
        reader.at += 1;
    }
    (reader.at > start).then_some(())
}
