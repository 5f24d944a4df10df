//! Findings in an agent's work that a user should look at before merging it.

use std::fmt;

use gemicro_event::text;
use serde::{Deserialize, Serialize};

/// The kind of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReportKind {
    /// A symbolic link that leads out of the tree, or into `.git`.
    EscapingLink,
    /// A repository inside the repository.
    Gitlink,
    /// A file above the size limit.
    BigFile,
    /// Settings of agent CLIs, editors, hooks or environments, which run code later or instruct agents.
    Settings,
    /// Files that continuous integration runs.
    Ci,
    /// `.gitattributes`: it chooses filters and merge drivers.
    Attributes,
    /// `.gitmodules`: it names other repositories.
    Modules,
}

impl fmt::Display for ReportKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::EscapingLink => "a link that points outside the tree",
            Self::Gitlink => "a repository inside the repository",
            Self::BigFile => "a large file",
            Self::Settings => "settings that can run code or instruct agents",
            Self::Ci => "files that CI runs",
            Self::Attributes => "git attributes",
            Self::Modules => "git submodules",
        })
    }
}

/// A name from a tree as text that is safe to print: control and text-direction characters are escaped.
pub(super) fn plain(name: &[u8]) -> String {
    let mut shown = String::new();
    for c in String::from_utf8_lossy(name).chars() {
        if text::is_hidden(c) {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImportWarning {
    /// The kind of the finding.
    pub kind: ReportKind,
    /// The path in the tree. Safe to print: bytes that are not text are replaced, control characters escaped.
    pub path: String,
    /// More information, for example the target of a link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}
