//! Names of agent sessions that are safe to pass as arguments.

use std::fmt;
use std::str::FromStr;

use gemicro_event::{ErrorKind, Failure};
use serde::{Deserialize, Serialize};

const MAX_LEN: usize = 128;

/// A session id that a CLI issued or accepted: letters, digits, `-`, `_` and `.`. It cannot be mistaken for an option.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SessionId(String);

impl SessionId {
    /// The id as the CLI gave it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the name as an argument. Only a UUID is safe: CLIs also accept `latest`, a number or a title.
    ///
    /// # Errors
    /// `invalid_input` when it is not a UUID.
    pub(crate) fn argument(&self) -> Result<String, Failure> {
        let groups: Vec<&str> = self.0.split('-').collect();
        let lengths: Vec<usize> = groups.iter().map(|group| group.len()).collect();
        let is_hex = groups
            .iter()
            .all(|group| group.chars().all(|c| c.is_ascii_hexdigit()));
        if lengths != [8, 4, 4, 4, 12] || !is_hex {
            let message = format!("`{self}` is not a session of this CLI: its sessions are UUIDs");
            return Err(Failure::new(ErrorKind::InvalidInput, message));
        }
        Ok(self.0.clone())
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for SessionId {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let starts_plain = text.starts_with(|c: char| c.is_ascii_alphanumeric());
        if !starts_plain || text.len() > MAX_LEN || !text.chars().all(is_plain) {
            return Err(Failure::new(
                ErrorKind::InvalidInput,
                "a session id has 1 to 128 letters, digits, `-`, `_` or `.` and starts with a letter or digit",
            ));
        }
        Ok(Self(text.to_owned()))
    }
}

impl TryFrom<String> for SessionId {
    type Error = Failure;

    fn try_from(text: String) -> Result<Self, Failure> {
        text.parse()
    }
}

impl From<SessionId> for String {
    fn from(id: SessionId) -> Self {
        id.0
    }
}

/// The session of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Session {
    /// A new one; the CLI names it.
    #[default]
    New,
    /// A new one with our name. A CLI that names its own sessions (Codex, ACP) treats it as [`Session::New`].
    NewNamed(SessionId),
    /// An existing one, always by name: "the latest" races with other runs.
    Resume(SessionId),
}

impl Session {
    /// Whether an earlier session is resumed.
    #[must_use]
    pub fn is_resumed(&self) -> bool {
        match self {
            Self::Resume(_) => true,
            Self::New | Self::NewNamed(_) => false,
        }
    }
}
