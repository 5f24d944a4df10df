//! The CLI that a fake agent imitates.

use serde::{Deserialize, Serialize};

/// A real agent CLI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentIdentity {
    /// Gemini CLI, the program `gemini`.
    Gemini,
    /// Claude Code, the program `claude`.
    Claude,
    /// Codex CLI, the program `codex`.
    Codex,
}

impl AgentIdentity {
    /// Name of its program.
    #[must_use]
    pub fn program(self) -> &'static str {
        match self {
            Self::Gemini => "gemini",
            Self::Claude => "claude",
            Self::Codex => "codex",
        }
    }

    /// Returns the CLI with this program name.
    #[must_use]
    pub fn of_program(name: &str) -> Option<Self> {
        [Self::Gemini, Self::Claude, Self::Codex]
            .into_iter()
            .find(|identity| identity.program() == name)
    }

    /// Returns its output for `--version`; the default version is the one it was tested with.
    #[must_use]
    pub fn version_line(self, version: Option<&str>) -> String {
        match self {
            Self::Gemini => version.unwrap_or("0.61.0").to_owned(),
            Self::Claude => format!("{} (Claude Code)", version.unwrap_or("2.1.197")),
            Self::Codex => format!("codex-cli {}", version.unwrap_or("0.166.0")),
        }
    }

    /// Returns true if these arguments only ask for the version.
    pub(super) fn asks_for_version(self, arguments: &[String]) -> bool {
        let short = match self {
            Self::Gemini | Self::Claude => "-v",
            Self::Codex => "-V",
        };
        arguments
            .first()
            .is_some_and(|first| first == "--version" || first == short)
    }
}
