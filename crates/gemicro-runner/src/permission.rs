//! An agent asking for leave to use a tool, and our answer.

use gemicro_event::Json;
use serde::Serialize;

/// A tool waits for an answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PermissionRequest {
    /// What the answer has to name.
    pub id: PermissionId,
    /// The call it belongs to, where told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// The tool; for ACP its kind (`execute`, `edit`, `read`, `fetch`, `search`).
    pub tool: String,
    /// For people; for a command of ACP the whole command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The arguments: those of the tool (Claude), or content and locations (ACP).
    pub input: Json,
}

/// Names one open request of one process.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct PermissionId(pub(crate) String);

impl From<&str> for PermissionId {
    fn from(id: &str) -> Self {
        Self(id.to_owned())
    }
}

impl PermissionId {
    /// As the CLI wrote it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What we say to it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the field names say what they are")]
pub enum PermissionAnswer {
    /// This once. There is no "always": each call is judged.
    Allow,
    /// No. The reason reaches the model where the CLI passes it on (Claude does, ACP does not).
    Deny { reason: String },
}
