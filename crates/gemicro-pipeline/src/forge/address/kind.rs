//! The kinds of forge.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The API that a forge uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ForgeKind {
    /// github.com and GitHub Enterprise.
    GitHub,
    /// gitlab.com and self-hosted GitLab servers.
    GitLab,
}

impl ForgeKind {
    /// Display name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::GitHub => "GitHub",
            Self::GitLab => "GitLab",
        }
    }

    /// Environment variables for the token, in order of precedence. They are not read here.
    #[must_use]
    pub fn token_variables(self) -> &'static [&'static str] {
        match self {
            Self::GitHub => &["GITHUB_TOKEN", "GH_TOKEN"],
            Self::GitLab => &["GITLAB_TOKEN"],
        }
    }

    /// Path of the API on a self-hosted server.
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
