//! The name of a task, as part of its branch name.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::error::RepositoryError;

/// Maximum length of a name; branches are files in the user's repository.
const MAX_BYTES: usize = 100;

/// The part after `task/` in the name of a task's branch. It may contain `/`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Slug(String);

impl Slug {
    /// The branch of the task in the user's repository: `task/<slug>`.
    #[must_use]
    pub fn branch(&self) -> String {
        format!("task/{}", self.0)
    }

    /// The branch's full name: `refs/heads/task/<slug>`.
    #[must_use]
    pub fn reference(&self) -> String {
        format!("refs/heads/task/{}", self.0)
    }

    /// One folder name for it: `task-<slug>`, without slashes.
    #[must_use]
    pub fn folder_name(&self) -> String {
        format!("task-{}", self.0.replace('/', "-"))
    }

    /// The slug as text, without the prefix `task/`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Slug {
    type Err = RepositoryError;

    /// Parses a slug, with or without the prefix `task/`.
    fn from_str(text: &str) -> Result<Self, RepositoryError> {
        let name = text.strip_prefix("task/").unwrap_or(text);
        match problem(name) {
            None => Ok(Self(name.to_owned())),
            Some(why) => Err(RepositoryError::BadSlug {
                slug: text.chars().take(MAX_BYTES).collect(),
                why,
            }),
        }
    }
}

/// Why a name is not allowed. Stricter than git, so that the name is also a plain folder name everywhere.
pub(super) fn problem(name: &str) -> Option<&'static str> {
    let is_allowed = |character: char| character.is_ascii_alphanumeric() || "._-/".contains(character);
    if name.len() > MAX_BYTES {
        return Some("it is longer than 100 characters");
    }
    if !name.chars().all(is_allowed) {
        return Some("only letters, digits, `.`, `_`, `-` and `/` may be used");
    }
    name.split('/').find_map(|part| {
        let is_lock = part.to_ascii_lowercase().ends_with(".lock");
        if part.is_empty() {
            Some("one of its parts is empty")
        } else if part.starts_with(['.', '-']) || part.ends_with('.') || part.contains("..") || is_lock {
            Some("one of its parts begins with `.` or `-`, ends with `.` or `.lock`, or contains `..`")
        } else {
            None
        }
    })
}

impl fmt::Display for Slug {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<Slug> for String {
    fn from(slug: Slug) -> Self {
        slug.0
    }
}

impl TryFrom<String> for Slug {
    type Error = RepositoryError;

    fn try_from(text: String) -> Result<Self, RepositoryError> {
        text.parse()
    }
}
