//! Shows every value of a request with its path.

use std::collections::HashSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// A value, or that one starts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::gateway) enum Leaf<'a> {
    Text(&'a str),
    /// A whole number from 0 on.
    Count(u64),
    Number,
    Bool(bool),
    Null,
    /// An object; its fields follow.
    Object,
    /// A list; its items follow, with the same path.
    List,
}

/// The text is not what we can read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the body is not usable JSON: {0}")]
pub(in crate::gateway) struct MalformedJson(pub(in crate::gateway) String);

/// Objects this near to the top must not name a field twice: two readers could disagree on which one counts.
const UNIQUE_DEPTH: usize = 1;

/// Reads a JSON object and shows each value in it. A path is made of the keys on the way, each as `fold`
/// spells it; lists do not count.
pub(in crate::gateway) fn walk(
    body: &[u8],
    fold: fn(&str) -> String,
    look: &mut dyn FnMut(&[String], Leaf<'_>),
) -> Result<(), MalformedJson> {
    let mut walker = Walker {
        path: Vec::new(),
        fold,
        look,
    };
    let mut reader = serde_json::Deserializer::from_slice(body);
    let read = walker.deserialize(&mut reader).and_then(|()| reader.end());
    // The message of a JSON error names a place and never quotes the body, save for our own about a field.
    read.map_err(|error| MalformedJson(error.to_string()))
}

struct Walker<'w> {
    path: Vec<String>,
    fold: fn(&str) -> String,
    look: &'w mut dyn FnMut(&[String], Leaf<'_>),
}

impl Walker<'_> {
    fn show<E: Error>(&mut self, leaf: Leaf<'_>) -> Result<(), E> {
        if self.path.is_empty() && leaf != Leaf::Object {
            return Err(E::custom("expected an object"));
        }
        (self.look)(&self.path, leaf);
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for &mut Walker<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &mut Walker<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        self.show(Leaf::Bool(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        self.show(Leaf::Count(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        self.show(u64::try_from(value).map_or(Leaf::Number, Leaf::Count))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        let whole = value.fract() == 0.0 && (0.0..9.0e15).contains(&value);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "whole, not negative, small"
        )]
        let leaf = if whole {
            Leaf::Count(value as u64)
        } else {
            Leaf::Number
        };
        self.show(leaf)
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<(), E> {
        self.show(Leaf::Text(value))
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.show(Leaf::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        self.show(Leaf::List)?;
        while items.next_element_seed(&mut *self)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        self.show(Leaf::Object)?;
        let mut known = HashSet::new();
        while let Some(key) = fields.next_key::<String>()? {
            let key = (self.fold)(&key);
            if self.path.len() <= UNIQUE_DEPTH && !known.insert(key.clone()) {
                return Err(A::Error::custom("a field is given twice"));
            }
            self.path.push(key);
            fields.next_value_seed(&mut *self)?;
            self.path.pop();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(body: &str) -> Result<Vec<String>, MalformedJson> {
        let mut lines = Vec::new();
        walk(body.as_bytes(), str::to_lowercase, &mut |path, leaf| {
            lines.push(format!("{}={leaf:?}", path.join(".")));
        })?;
        Ok(lines)
    }

    #[test]
    fn every_value_is_shown_with_its_path() {
        assert_eq!(
            shown(r#"{"A":1,"b":[{"c":"x"},{"c":null}],"d":{"e":-1,"f":2.0,"g":true}}"#).unwrap(),
            [
                "=Object",
                "a=Count(1)",
                "b=List",
                "b=Object",
                "b.c=Text(\"x\")",
                "b=Object",
                "b.c=Null",
                "d=Object",
                "d.e=Number",
                "d.f=Count(2)",
                "d.g=Bool(true)"
            ]
        );
    }

    #[test]
    fn what_two_readers_could_read_differently_is_refused() {
        for body in [
            "",
            "[]",
            "1",
            "{",
            "{} {}",
            r#"{"a":1,"a":2}"#,
            r#"{"a":1,"A":2}"#,
            r#"{"o":{"a":1,"a":2}}"#,
            "{\"a\":\"\u{0}\"}",
            &format!("{{\"a\":{}1{}}}", "[".repeat(1000), "]".repeat(1000)),
        ] {
            assert!(shown(body).is_err(), "{body}");
        }
        assert!(shown(r#"{"deep":{"deeper":{"a":1,"a":2}}}"#).is_ok());
    }
}
