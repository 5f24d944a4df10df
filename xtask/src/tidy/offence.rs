//! One violation of a rule.

use std::fmt;

/// The place and description of a violation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Offence {
    /// Path from the root.
    pub(crate) path: String,
    /// Number of the line, counted from 1.
    pub(crate) line: usize,
    /// The problem, and what to do instead if that is not obvious.
    pub(crate) message: String,
}

impl Offence {
    /// An offence at a line of a file.
    pub(crate) fn new(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self {
            path: path.to_owned(),
            line,
            message: message.into(),
        }
    }
}

impl fmt::Display for Offence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line, self.message)
    }
}
