//! Finds JSON in a model's text.

use gemicro_event::Json;
use serde_json::value::RawValue;

/// Maximum number of incomplete JSON values that are tried; a text with more is noise.
const MAX_BROKEN: usize = 1_024;
/// Maximum number of values from which trailing commas are removed.
const MAX_REPAIRS: usize = 8;

/// The last complete JSON object in a text that is not inside another value; without one, the last array. (A `[1]`
/// after the answer is more often a citation marker than an answer.)
///
/// Commas before a closing bracket are dropped. Nothing else is repaired: other invalid JSON is skipped.
#[must_use]
pub fn json_in(text: &str) -> Option<Json> {
    let (mut object, mut array) = (None, None);
    let mut keep = |value: Box<RawValue>| {
        let found = if value.get().starts_with('{') {
            &mut object
        } else {
            &mut array
        };
        *found = Some(value);
    };
    let mut at = 0;
    let (mut n_broken, mut n_repairs) = (0, MAX_REPAIRS);
    while n_broken < MAX_BROKEN
        && let Some(offset) = text[at..].find(['{', '['])
    {
        let start = at + offset;
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Box<RawValue>>();
        if let Some(Ok(value)) = values.next() {
            keep(value);
            at = start + values.byte_offset();
            continue;
        }
        n_broken += 1;
        let repaired = (n_repairs > 0).then(|| without_trailing_commas(&text[start..]));
        n_repairs = n_repairs.saturating_sub(1);
        let value = repaired
            .flatten()
            .and_then(|(json, n_bytes)| Some((RawValue::from_string(json).ok()?, n_bytes)));
        match value {
            Some((value, n_bytes)) => {
                keep(value);
                at = start + n_bytes;
            }
            None => at = start + 1,
        }
    }
    object
        .or(array)
        .and_then(|value: Box<RawValue>| Json::from_text(value.get()).ok())
}

/// The value at the start of a text, without trailing commas, and its length in bytes. `None` if it has no trailing
/// commas or is incomplete.
fn without_trailing_commas(text: &str) -> Option<(String, usize)> {
    let mut json = String::new();
    let (mut depth, mut is_quoted, mut is_escaped, mut is_changed) = (0_usize, false, false, false);
    for (at, sign) in text.char_indices() {
        match sign {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.checked_sub(1)?,
            ',' if text[at + 1..].trim_start().starts_with(['}', ']']) => {
                is_changed = true;
                continue;
            }
            _ => {}
        }
        json.push(sign);
        if depth == 0 {
            return is_changed.then_some((json, at + sign.len_utf8()));
        }
    }
    None
}
