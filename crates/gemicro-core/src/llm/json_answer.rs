//! JSON out of a model's text: strict values only, wherever they stand in the prose.

use gemicro_event::Json;
use serde_json::value::RawValue;

/// The last complete JSON object or array in a text that is not inside another one.
///
/// Nothing is repaired here: what is not valid JSON is passed over.
#[must_use]
pub fn json_in(text: &str) -> Option<Json> {
    let mut found = None;
    let mut at = 0;
    while let Some(offset) = text[at..].find(['{', '[']) {
        let start = at + offset;
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Box<RawValue>>();
        match values.next() {
            Some(Ok(value)) => {
                found = Json::from_text(value.get()).ok();
                at = start + values.byte_offset();
            }
            Some(Err(_)) | None => at = start + 1,
        }
    }
    found
}
