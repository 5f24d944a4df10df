//! What is known about a conversation with an agent, beside its home.

use std::fs;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::SystemTime;

use gemicro_core::ask::{AgentName, SandboxMode};
use gemicro_event::{ErrorKind, Failure, StreamId};
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
    /// The branch of the folder's repository that it works on.
    #[serde(default)]
    pub(super) branch: Option<String>,
    /// The runs that are its turns, in order. What was said is in their journals.
    #[serde(default)]
    pub(super) turns: Vec<StreamId>,
}

impl About {
    /// Reads it; nothing where it was never written.
    ///
    /// # Errors
    /// `storage_error` when it cannot be read: what it says must not be guessed.
    pub(super) fn read(folder: &Path) -> Result<Option<Self>, Failure> {
        let file = folder.join(FILE);
        let failed = |error: &dyn std::fmt::Display| {
            let message = format!("{} cannot be read: {error}; begin a new session", file.display());
            Failure::new(ErrorKind::StorageError, message)
        };
        match fs::read_to_string(&file) {
            Ok(text) => serde_json::from_str(&text)
                .map(Some)
                .map_err(|error| failed(&error)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed(&error)),
        }
    }

    /// When it was written last.
    pub(super) fn changed(folder: &Path) -> Option<SystemTime> {
        folder.join(FILE).metadata().ok()?.modified().ok()
    }

    /// Writes it, whole or not at all. It reaches the disk in the background: the answer is in the journal, and who
    /// waits for it should not wait for this.
    pub(super) fn write(&self, folder: &Path) -> std::io::Result<()> {
        let new = folder.join(format!("{FILE}.new"));
        let mut file = fs::OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&new)?;
        file.write_all(&serde_json::to_vec(self)?)?;
        fs::rename(new, folder.join(FILE))?;
        tokio::task::spawn_blocking(move || {
            if let Err(error) = file.sync_all() {
                tracing::warn!(%error, "what is known about a session is not safe from a power cut");
            }
        });
        Ok(())
    }
}
