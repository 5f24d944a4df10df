//! An agent's request for permission to use a tool, and our answer.

use gemicro_event::Json;
use serde::Serialize;

/// A tool that waits for permission.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PermissionRequest {
    /// Id for the answer.
    pub id: PermissionId,
    /// The call it belongs to, if reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// The tool; for ACP its kind (`execute`, `edit`, `read`, `fetch`, `search`).
    pub tool: String,
    /// Title for users; for an ACP command, the complete command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The arguments: those of the tool (Claude), or content and locations (ACP).
    pub input: Json,
}

/// Id of one open request of one process.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct PermissionId(pub(crate) String);

impl From<&str> for PermissionId {
    fn from(id: &str) -> Self {
        Self(id.to_owned())
    }
}

impl PermissionId {
    /// The id as the CLI wrote it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Our answer to a permission request.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the field names say what they are")]
pub enum PermissionAnswer {
    /// Allow this one call. There is no "always": each call is judged.
    Allow,
    /// Refuse. The model sees the reason if the CLI passes it on (Claude does, ACP does not).
    Deny { reason: String },
}
