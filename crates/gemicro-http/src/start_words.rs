//! The kinds of runs to start, and other enumerations.

use gemicro_core::ask::SandboxMode;
use schemars::JsonSchema;
use serde::Deserialize;

/// The kind of a prompt for a coding agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "AskKind")]
pub enum AgentPromptKind {
    /// A prompt for a coding agent.
    Ask,
}

/// The kind of a prompt for a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PromptKind {
    /// A prompt for a model.
    Prompt,
}

/// The kind of a coverage loop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OodaKind {
    /// A loop that raises test coverage.
    Ooda,
}

/// Write access of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SandboxChoice {
    /// The agent may read files, but change none.
    ReadOnly,
    /// The agent may write in its folder.
    #[default]
    WorkspaceWrite,
    /// Everything the server's account may do: there is no sandbox.
    DangerFullAccess,
}

impl From<SandboxChoice> for SandboxMode {
    fn from(choice: SandboxChoice) -> Self {
        match choice {
            SandboxChoice::ReadOnly => Self::ReadOnly,
            SandboxChoice::WorkspaceWrite => Self::WorkspaceWrite,
            SandboxChoice::DangerFullAccess => Self::DangerFullAccess,
        }
    }
}
