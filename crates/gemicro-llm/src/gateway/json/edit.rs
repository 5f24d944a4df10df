//! Changes one field of a JSON object; every other byte of the values stays.

use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::MalformedJson;

/// The object with the field at `path` set to `value` (JSON text). Objects on the way that are missing or are
/// no objects are made. `fold` says which spellings of a key are the same; the one that is there is kept.
pub(in crate::gateway) fn set(
    object: &str,
    path: &[&str],
    value: &str,
    fold: fn(&str) -> String,
) -> Result<String, MalformedJson> {
    let Some((key, rest)) = path.split_first() else {
        return Ok(value.to_owned());
    };
    let fields = fields(object)?;
    let inner = |raw: &str| {
        let raw = if raw.starts_with('{') { raw } else { "{}" };
        set(raw, rest, value, fold)
    };
    let mut written = String::with_capacity(object.len() + 64);
    let mut found = false;
    for (name, raw) in &fields {
        if !found && fold(name) == fold(key) {
            found = true;
            push(&mut written, name, &inner(raw.get())?);
        } else {
            push(&mut written, name, raw.get());
        }
    }
    if !found {
        push(&mut written, key, &inner("{}")?);
    }
    written.push('}');
    Ok(written)
}

fn push(written: &mut String, name: &str, raw: &str) {
    written.push(if written.is_empty() { '{' } else { ',' });
    written.push_str(&serde_json::Value::from(name).to_string());
    written.push(':');
    written.push_str(raw);
}

fn fields(object: &str) -> Result<Vec<(String, &RawValue)>, MalformedJson> {
    struct FieldEdits;
    impl<'de> Visitor<'de> for FieldEdits {
        type Value = Vec<(String, &'de RawValue)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut fields = Vec::new();
            while let Some(field) = map.next_entry()? {
                fields.push(field);
            }
            Ok(fields)
        }
    }
    let mut reader = serde_json::Deserializer::from_str(object);
    let read = reader.deserialize_map(FieldEdits);
    read.map_err(|error| MalformedJson(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fold(key: &str) -> String {
        key.replace('_', "").to_lowercase()
    }

    #[test]
    fn one_field_changes_and_the_rest_stays_byte_for_byte() {
        for (object, path, expected) in [
            ("{}", &["a"][..], r#"{"a":7}"#),
            (
                r#"{ "x" : 1.50e3, "a": 1 , "y":[ "\u00e9" ]}"#,
                &["a"],
                r#"{"x":1.50e3,"a":7,"y":[ "\u00e9" ]}"#,
            ),
            (
                r#"{"generation_config":{"maxOutputTokens":9,"t":1}}"#,
                &["generationConfig", "maxOutputTokens"],
                r#"{"generation_config":{"maxOutputTokens":7,"t":1}}"#,
            ),
            (
                r#"{"b":1}"#,
                &["generationConfig", "maxOutputTokens"],
                r#"{"b":1,"generationConfig":{"maxOutputTokens":7}}"#,
            ),
            (r#"{"o":null}"#, &["o", "p"], r#"{"o":{"p":7}}"#),
        ] {
            assert_eq!(set(object, path, "7", fold).unwrap(), expected, "{object}");
        }
        assert!(set("[]", &["a"], "7", fold).is_err());
    }
}
