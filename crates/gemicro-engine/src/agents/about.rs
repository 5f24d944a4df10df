//! What is known about a conversation with an agent, beside its home.

use std::fs;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::SystemTime;

use gemicro_core::ask::{AgentName, SandboxMode};
use gemicro_event::StreamId;
use serde::{Deserialize, Serialize};

const FILE: &str = "about.json";

/// Who talks where, under which name, and in which runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct About {
    /// The agent.
    pub(super) agent: AgentName,
    /// The folder it began in; its sessions belong there.
    pub(super) directory: String,
    /// The agent's own name of the session, as it was last.
    pub(super) session: String,
    /// How its last turn was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) sandbox: Option<SandboxMode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) yolo: Option<bool>,
    /// The runs that are its turns, in order. What was said is in their journals.
    #[serde(default)]
    pub(super) turns: Vec<StreamId>,
}

impl About {
    /// Reads it; nothing where it was never written or cannot be read.
    pub(super) fn read(folder: &Path) -> Option<Self> {
        let text = fs::read_to_string(folder.join(FILE)).ok()?;
        serde_json::from_str(&text)
            .inspect_err(|error| tracing::warn!(%error, folder = %folder.display(), "what is known about a session cannot be read"))
            .ok()
    }

    /// When it was written last.
    pub(super) fn changed(folder: &Path) -> Option<SystemTime> {
        folder.join(FILE).metadata().ok()?.modified().ok()
    }

    /// Writes it, whole or not at all.
    pub(super) fn write(&self, folder: &Path) -> std::io::Result<()> {
        let new = folder.join(format!("{FILE}.new"));
        let mut file = fs::OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&new)?;
        file.write_all(&serde_json::to_vec(self)?)?;
        file.sync_all()?;
        fs::rename(new, folder.join(FILE))
    }
}
