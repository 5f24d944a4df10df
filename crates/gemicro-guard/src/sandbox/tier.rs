//! The tiers of the sandbox: how strong its protection can be on this machine.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A tier, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// bubblewrap, and Landlock and seccomp inside it.
    Full,
    /// Landlock and seccomp without bubblewrap: a path inside a writable folder cannot be protected.
    Landlock,
    /// macOS' `sandbox-exec`. Written from documentation, never run.
    Seatbelt,
    /// No sandbox: the command can do what the user's account can.
    None,
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full => "full",
            Self::Landlock => "landlock",
            Self::Seatbelt => "seatbelt",
            Self::None => "none",
        })
    }
}
