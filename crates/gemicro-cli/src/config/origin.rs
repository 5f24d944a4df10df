//! A value and its origin.

use std::fmt;
use std::path::PathBuf;

/// The origin of a setting, in order of precedence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SettingOrigin {
    /// A flag of this call.
    Flag(&'static str),
    Environment(&'static str),
    ProjectFile(PathBuf),
    UserFile(PathBuf),
    Default,
}

impl fmt::Display for SettingOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(name) => write!(f, "flag {name}"),
            Self::Environment(name) => write!(f, "environment {name}"),
            Self::ProjectFile(path) => write!(f, "project file {}", path.display()),
            Self::UserFile(path) => write!(f, "user file {}", path.display()),
            Self::Default => f.write_str("default"),
        }
    }
}

/// A value with its origin.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SettingValue<T> {
    pub(crate) value: T,
    /// Where it came from.
    pub(crate) origin: SettingOrigin,
}
