//! The kinds of forge.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Whose API a forge speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ForgeKind {
    /// github.com and GitHub Enterprise.
    GitHub,
    /// gitlab.com and GitLab servers of one's own.
    GitLab,
}

impl ForgeKind {
    /// What people call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::GitHub => "GitHub",
            Self::GitLab => "GitLab",
        }
    }

    /// The variables that a token is looked for in, the first that is set counts. They are not read here.
    #[must_use]
    pub fn token_variables(self) -> &'static [&'static str] {
        match self {
            Self::GitHub => &["GITHUB_TOKEN", "GH_TOKEN"],
            Self::GitLab => &["GITLAB_TOKEN"],
        }
    }

    /// Where the API lives on a server of one's own.
    pub(super) fn api_path(self) -> &'static str {
        match self {
            Self::GitHub => "/api/v3",
            Self::GitLab => "/api/v4",
        }
    }
}

impl fmt::Display for ForgeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
