//! The exit codes of a command that count as success.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// The name for every exit code.
const ANY: &str = "any";
/// Describes the accepted values in errors.
const FORMS: &str = "expected an exit code from 0 to 255, a list of them, or \"any\"";

/// The exit codes that a command may end with: 0 by default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExpectedExit {
    /// Every exit code is a success.
    Any,
    /// Only these codes are a success.
    Codes(Vec<u8>),
}

impl ExpectedExit {
    /// Whether a command that ended with this code succeeded.
    #[must_use]
    pub fn allows(&self, exit_code: i32) -> bool {
        match self {
            Self::Any => true,
            Self::Codes(codes) => codes.iter().any(|code| i32::from(*code) == exit_code),
        }
    }

    pub(crate) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for ExpectedExit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str(ANY),
            Self::Codes(codes) => {
                let codes: Vec<String> = codes.iter().map(u8::to_string).collect();
                f.write_str(&codes.join(" or "))
            }
        }
    }
}

impl Default for ExpectedExit {
    fn default() -> Self {
        Self::Codes(vec![0])
    }
}

impl Serialize for ExpectedExit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Any => ANY.serialize(serializer),
            Self::Codes(codes) => codes.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ExpectedExit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let code = |value: &Value| {
            let code = value.as_u64().and_then(|code| u8::try_from(code).ok());
            code.ok_or_else(|| D::Error::custom(FORMS))
        };
        match Value::deserialize(deserializer)? {
            Value::String(word) if word == ANY => Ok(Self::Any),
            Value::Array(codes) if !codes.is_empty() => {
                codes.iter().map(code).collect::<Result<_, _>>().map(Self::Codes)
            }
            other => Ok(Self::Codes(vec![code(&other)?])),
        }
    }
}

impl JsonSchema for ExpectedExit {
    fn schema_name() -> Cow<'static, str> {
        "ExpectedExit".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let code = serde_json::json!({ "type": "integer", "minimum": 0, "maximum": 255 });
        json_schema!({
            "anyOf": [
                code,
                { "type": "array", "items": code, "minItems": 1 },
                { "const": ANY },
            ]
        })
    }
}
