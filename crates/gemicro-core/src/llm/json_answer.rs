//! JSON out of a model's text: strict values only, wherever they stand in the prose.

use gemicro_event::Json;
use serde_json::value::RawValue;

/// Openings without an end that are looked into; a text with more of them is noise, not an answer.
const MAX_BROKEN: usize = 1_024;

/// The last complete JSON object in a text that is not inside another value; without one, the last array.
/// (A `[1]` behind the answer is a citation marker more often than an answer.)
///
/// Nothing is repaired here: what is not valid JSON is passed over.
#[must_use]
pub fn json_in(text: &str) -> Option<Json> {
    let (mut object, mut array) = (None, None);
    let mut at = 0;
    let mut n_broken = 0;
    while n_broken < MAX_BROKEN
        && let Some(offset) = text[at..].find(['{', '['])
    {
        let start = at + offset;
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Box<RawValue>>();
        match values.next() {
            Some(Ok(value)) => {
                let found = if value.get().starts_with('{') {
                    &mut object
                } else {
                    &mut array
                };
                *found = Some(value);
                at = start + values.byte_offset();
            }
            Some(Err(_)) | None => {
                n_broken += 1;
                at = start + 1;
            }
        }
    }
    object
        .or(array)
        .and_then(|value: Box<RawValue>| Json::from_text(value.get()).ok())
}
