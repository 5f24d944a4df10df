//! Opaque ids of streams, steps and commands.
//!
//! Ids have no meaning and are never parsed. New stream ids are 80 random bits as 16
//! letters and digits that are easy to read aloud and safe in file names and URLs.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The text is not a valid id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an id: 1 to 64 letters, digits, `_` or `-`")]
pub struct IdError {
    /// The given text, shortened.
    pub text: String,
}

/// Id of a stream: a run or a conversation.
#[derive(
    Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
pub struct StreamId(String);

impl StreamId {
    /// A new id from the system's random source.
    #[must_use]
    pub fn random() -> Self {
        Self(random_text())
    }

    /// Checks and wraps a text.
    ///
    /// # Errors
    /// When it is empty, longer than 64 characters, or has other characters than letters, digits, `_`, `-`.
    pub fn new(text: impl Into<String>) -> Result<Self, IdError> {
        validate_id(text.into()).map(Self)
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for StreamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for StreamId {
    type Error = IdError;

    fn try_from(text: String) -> Result<Self, IdError> {
        validate_id(text).map(Self)
    }
}

impl From<StreamId> for String {
    fn from(id: StreamId) -> Self {
        id.0
    }
}

/// Id of a command, chosen by the sender; a command sent twice is executed once.
#[derive(
    Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
pub struct CommandId(String);

impl CommandId {
    /// A new id from the system's random source.
    #[must_use]
    pub fn random() -> Self {
        Self(random_text())
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CommandId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for CommandId {
    type Error = IdError;

    fn try_from(text: String) -> Result<Self, IdError> {
        validate_id(text).map(Self)
    }
}

impl From<CommandId> for String {
    fn from(id: CommandId) -> Self {
        id.0
    }
}

/// Key of a step inside its run; readable, but never parsed.
#[derive(
    Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(transparent)]
pub struct StepKey(String);

impl StepKey {
    /// Makes a key from a label, which must be unique in its run.
    #[must_use]
    pub fn new(label: impl Into<String>) -> Self {
        Self(label.into())
    }

    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for StepKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn validate_id(text: String) -> Result<String, IdError> {
    let fits = (1..=64).contains(&text.len())
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    if fits {
        Ok(text)
    } else {
        Err(IdError {
            text: text.chars().take(80).collect(),
        })
    }
}

fn random_text() -> String {
    // Without `i`, `l`, `o` and `u`, which are easily confused with other characters.
    const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes).expect("the system has a random source");
    bytes
        .iter()
        .map(|byte| char::from(ALPHABET[usize::from(byte % 32)]))
        .collect()
}
