//! A JSON value that keeps its exact text.
//!
//! [`Json`] keeps the text it was made from, so unknown events and fields are stored, forwarded and
//! exported unchanged, including number spelling, key order and escapes. It derefs to a parsed
//! [`serde_json::Value`], made on first use.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// JSON text, parsed on first use; cheap to clone.
#[derive(Clone)]
pub struct Json {
    inner: Arc<Inner>,
}

struct Inner {
    /// Valid JSON on one line.
    raw: Box<RawValue>,
    value: OnceLock<Value>,
}

impl Json {
    /// Serializes any value.
    ///
    /// # Errors
    /// When the value has no JSON form (a map with keys that are not strings, for instance).
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        Ok(Self::from_raw(serde_json::value::to_raw_value(value)?))
    }

    /// Parses JSON text and keeps it; line breaks between tokens become spaces.
    ///
    /// # Errors
    /// When the text is not one valid JSON value.
    pub fn from_text(text: &str) -> Result<Self, serde_json::Error> {
        let raw: Box<RawValue> = serde_json::from_str(text)?;
        Ok(Self::from_raw(raw))
    }

    /// The empty object, `{}`.
    #[must_use]
    pub fn empty() -> Self {
        Self::from(Value::Object(serde_json::Map::new()))
    }

    /// The JSON text, on one line.
    #[must_use]
    pub fn text(&self) -> &str {
        self.inner.raw.get()
    }

    /// The text as serde's raw value, to write it unchanged into a larger document.
    #[must_use]
    pub fn raw(&self) -> &RawValue {
        &self.inner.raw
    }

    /// Parses it as a typed value; the error gives the position.
    ///
    /// # Errors
    /// When the JSON does not match `T`.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.text())
    }

    fn from_raw(raw: Box<RawValue>) -> Self {
        // A line break cannot occur inside a JSON string, so it is always white space between tokens.
        let raw = if raw.get().contains(['\n', '\r']) {
            let one_line = raw.get().replace(['\n', '\r'], " ");
            RawValue::from_string(one_line).unwrap_or(raw)
        } else {
            raw
        };
        Self {
            inner: Arc::new(Inner {
                raw,
                value: OnceLock::new(),
            }),
        }
    }
}

impl Deref for Json {
    type Target = Value;

    fn deref(&self) -> &Value {
        // The parser may refuse valid JSON (nesting over its limit); it then reads as null, while the text stays
        // complete.
        self.inner
            .value
            .get_or_init(|| serde_json::from_str(self.text()).unwrap_or(Value::Null))
    }
}

impl From<Value> for Json {
    fn from(value: Value) -> Self {
        let text = value.to_string();
        let raw = RawValue::from_string(text).expect("a JSON value prints as valid JSON");
        Self {
            inner: Arc::new(Inner {
                raw,
                value: OnceLock::from(value),
            }),
        }
    }
}

impl Default for Json {
    fn default() -> Self {
        Self::empty()
    }
}

impl PartialEq for Json {
    /// Two values are equal if their texts are.
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

impl Eq for Json {}

impl fmt::Debug for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.inner.raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::from_raw(Box::<RawValue>::deserialize(deserializer)?))
    }
}

impl schemars::JsonSchema for Json {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Json".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        true.into()
    }
}
