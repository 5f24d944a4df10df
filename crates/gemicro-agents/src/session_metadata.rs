//! Metadata of a conversation with an agent, stored beside its home.

use std::fs::{self, File};
use std::io::{ErrorKind as ErrorKindOfIo, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::SystemTime;

use gemicro_core::ask::{AgentName, SandboxMode};
use gemicro_event::{ErrorKind, Failure, StreamId};
use serde::{Deserialize, Serialize};

use super::folder::write_new;

const FILE: &str = "about.json";

/// Agent, folder, session and runs of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SessionMetadata {
    pub(super) agent: AgentName,
    /// The folder it began in; its sessions belong there.
    pub(super) directory: String,
    /// The agent's latest session id.
    pub(super) session: String,
    /// The model of its last turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) sandbox: Option<SandboxMode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) yolo: Option<bool>,
    /// The branch of the folder's repository that it works on.
    #[serde(default)]
    pub(super) branch: Option<String>,
    /// Whether it began in a phase of a pipeline, which resumes it. Unknown where an earlier program wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) of_pipeline: Option<bool>,
    /// The runs that are its turns, in order. Their journals contain the text.
    #[serde(default)]
    pub(super) turns: Vec<StreamId>,
}

impl SessionMetadata {
    /// Reads it; `None` if it was never written, is only [reserved](Self::reserve), or was interrupted by a crash
    /// before it was written.
    ///
    /// # Errors
    /// `storage_error` when it cannot be read, because its contents must not be guessed.
    pub(super) fn read(folder: &Path) -> Result<Option<Self>, Failure> {
        let file = folder.join(FILE);
        let failed = |error: &dyn std::fmt::Display| {
            let message = format!("{} cannot be read: {error}; begin a new session", file.display());
            Failure::new(ErrorKind::StorageError, message)
        };
        match fs::read_to_string(&file) {
            Ok(text) => match serde_json::from_str(&text) {
                Ok(about) => Ok(Some(about)),
                Err(error) if error.is_eof() => Ok(None),
                Err(error) => Err(failed(&error)),
            },
            Err(error) if error.kind() == ErrorKindOfIo::NotFound => Ok(None),
            Err(error) => Err(failed(&error)),
        }
    }

    /// Time of the last write.
    pub(super) fn changed_at(folder: &Path) -> Option<SystemTime> {
        folder.join(FILE).metadata().ok()?.modified().ok()
    }

    /// Writes it atomically. Returns the file, which is not synced to disk yet.
    pub(super) fn write(&self, folder: &Path) -> std::io::Result<File> {
        let (path, bytes) = (folder.join(FILE), serde_json::to_vec(self)?);
        match write_new(&path, &bytes) {
            Err(error) if error.kind() == ErrorKindOfIo::AlreadyExists => {
                let mut file = File::options().write(true).open(&path)?;
                if file.metadata()?.len() > 0 {
                    return replace(&path, &bytes);
                }
                file.write_all(&bytes)?;
                Ok(file)
            }
            written => written,
        }
    }

    /// Creates the empty file that it will be written to.
    pub(super) fn reserve(folder: &Path) -> std::io::Result<()> {
        write_new(&folder.join(FILE), b"").map(drop)
    }
}

fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<File> {
    let new = path.with_extension("json.new");
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    let mut file = options.open(&new)?;
    file.write_all(bytes)?;
    fs::rename(new, path)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    fn about(session: &str) -> SessionMetadata {
        SessionMetadata {
            agent: AgentName::Codex,
            directory: "/project".to_owned(),
            session: session.to_owned(),
            model: None,
            sandbox: None,
            yolo: None,
            branch: None,
            of_pipeline: None,
            turns: Vec::new(),
        }
    }

    #[tokio::test]
    async fn what_is_known_is_written_and_replaced_for_the_user_alone() {
        let place = tempfile::tempdir().expect("a folder");
        assert_eq!(SessionMetadata::read(place.path()).expect("read"), None);
        for session in ["one", "two"] {
            about(session).write(place.path()).expect("written");
            assert_eq!(
                SessionMetadata::read(place.path()).expect("read"),
                Some(about(session))
            );
            let mode = place.path().join(FILE).metadata().expect("there").mode();
            assert_eq!(mode & 0o7777, 0o600);
        }
        let names = fs::read_dir(place.path()).expect("read").count();
        assert_eq!(names, 1, "nothing unfinished is left");
    }

    #[tokio::test]
    async fn one_that_a_crash_cut_short_is_as_good_as_none_and_is_replaced() {
        let place = tempfile::tempdir().expect("a folder");
        let whole = serde_json::to_string(&about("one")).expect("text");
        for n_bytes in 0..whole.len() {
            fs::write(place.path().join(FILE), &whole[..n_bytes]).expect("written");
            assert_eq!(
                SessionMetadata::read(place.path()).expect("read"),
                None,
                "{n_bytes}"
            );
        }
        about("two").write(place.path()).expect("written");
        assert_eq!(
            SessionMetadata::read(place.path()).expect("read"),
            Some(about("two"))
        );
    }

    #[test]
    fn what_cannot_be_read_is_not_guessed() {
        let place = tempfile::tempdir().expect("a folder");
        for garbage in ["garbage", "\0\0\0", "{}", "[1]"] {
            fs::write(place.path().join(FILE), garbage).expect("written");
            let failure = SessionMetadata::read(place.path()).expect_err("refused");
            assert_eq!(failure.kind, ErrorKind::StorageError, "{garbage}");
        }
    }
}
