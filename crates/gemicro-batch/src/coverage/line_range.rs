//! A range of lines.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::bounds::MAX_LINE;

/// The lines from `first` to `last`, inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineRange {
    /// The first line, from 1.
    pub first: u32,
    /// The last line; not before the first.
    pub last: u32,
}

impl LineRange {
    /// Whether the range contains a line.
    #[must_use]
    pub fn holds(self, line: u32) -> bool {
        (self.first..=self.last).contains(&line)
    }
}

impl fmt::Display for LineRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.first == self.last {
            true => write!(f, "{}", self.first),
            false => write!(f, "{}-{}", self.first, self.last),
        }
    }
}

/// The text is not a line range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a line range; write 12-15, or 12 for one line")]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub struct LineRangeError {
    pub text: String,
}

impl FromStr for LineRange {
    type Err = LineRangeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refuse = || LineRangeError {
            text: text.to_owned(),
        };
        let line = |text: &str| -> Option<u32> {
            let text = text.trim();
            let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            let line = text.parse().ok().filter(|_| is_plain)?;
            (1..=MAX_LINE).contains(&line).then_some(line)
        };
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        match (line(first), line(last)) {
            (Some(first), Some(last)) if first <= last => Ok(Self { first, last }),
            _ => Err(refuse()),
        }
    }
}

impl Serialize for LineRange {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for LineRange {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for LineRange {
    fn schema_name() -> Cow<'static, str> {
        "LineRange".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "pattern": "^[0-9]+(-[0-9]+)?$",
            "description": "Lines such as 12-15, or 12 for one.",
        })
    }
}
