//! Versions of the CLIs: parsed from their output, and compared with the minimum.

use std::fmt;

/// A version `major.minor.patch`, without any suffix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// The first number: incompatible changes.
    pub major: u32,
    /// The second number: additions, and for the CLIs any other change.
    pub minor: u32,
    /// The third number: corrections.
    pub patch: u32,
}

impl Version {
    /// Creates a version from its three numbers.
    #[must_use]
    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self { major, minor, patch }
    }

    /// Finds the first version in a text: `0.61.0`, `2.1.197 (Claude Code)`, `codex-cli 0.166.0`.
    #[must_use]
    pub fn find(text: &str) -> Option<Self> {
        let is_part = |c: char| c.is_ascii_digit() || c == '.';
        text.split(|c: char| !is_part(c)).find_map(|word| {
            let mut numbers = word.split('.');
            let mut next = || numbers.next()?.parse().ok();
            Some(Self::new(next()?, next()?, next()?))
        })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}
