//! The secret of one step, by which its own block is recognised.
//!
//! The main type is [`Nonce`]. It is generated elsewhere, by the code that starts the step.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

const MIN_LENGTH: usize = 8;
const MAX_LENGTH: usize = 64;

/// Tags the block of one step: 8 to 64 letters, digits, `_` or `-`, compared byte by byte.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct Nonce(String);

/// The text is not a valid nonce.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a nonce: 8 to 64 letters, digits, `_` or `-`")]
pub struct NonceError {
    /// The given text, cut to a printable length.
    pub text: String,
}

impl Nonce {
    /// The nonce as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Nonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Nonce {
    type Err = NonceError;

    fn from_str(text: &str) -> Result<Self, NonceError> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        if (MIN_LENGTH..=MAX_LENGTH).contains(&text.len()) && text.bytes().all(is_plain) {
            Ok(Self(text.to_owned()))
        } else {
            Err(NonceError {
                text: text.chars().take(MAX_LENGTH + 1).collect(),
            })
        }
    }
}

impl TryFrom<String> for Nonce {
    type Error = NonceError;

    fn try_from(text: String) -> Result<Self, NonceError> {
        text.parse()
    }
}

impl From<Nonce> for String {
    fn from(nonce: Nonce) -> Self {
        nonce.0
    }
}
