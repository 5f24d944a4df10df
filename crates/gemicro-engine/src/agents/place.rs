//! Folders of agents in the state folder: a home per conversation, found again by its session.
//!
//! ```text
//! agents/homes/NAME/home    settings and sessions of one agent, nobody else's files
//! agents/homes/NAME/tmp     its temporary files; emptied after every run
//! agents/homes/NAME/RUN-N   the output of attempt N of a run
//! agents/sessions/AGENT/ID  a file with NAME
//! ```

use std::fs::{self, File};
use std::io::{ErrorKind as ErrorKindOfIo, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use gemicro_core::ask::AgentName;
use gemicro_event::{ErrorKind, Failure, StreamId};
use gemicro_runner::SessionId;
use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;

/// The agent that a session belongs to, where it is known here.
#[must_use]
pub fn agent_of_session(state: &Path, session: &str) -> Option<AgentName> {
    let session: SessionId = session.parse().ok()?;
    let sessions = state.join("agents").join("sessions");
    let has = |agent: &AgentName| sessions.join(agent.as_str()).join(session.as_str()).is_file();
    AgentName::ALL.into_iter().find(has)
}

/// The folder of one conversation, held by one attempt at a time.
#[derive(Debug)]
pub(super) struct Place {
    root: PathBuf,
    name: String,
    /// The attempt that works here now.
    attempt: String,
    /// It was made for this attempt.
    is_new: bool,
    /// Shuts others out for as long as it is open.
    _lock: File,
}

impl Place {
    /// A new one for an attempt of a run.
    pub(super) fn new(state: &Path, run: &StreamId, attempt: u32) -> Result<Self, Failure> {
        let name = format!("{run}-{attempt}");
        let root = state.join("agents");
        make_folder(&root.join("homes").join(&name))?;
        take(root, name.clone(), name, true)
    }

    /// The one in which a session took place.
    pub(super) fn of_session(
        state: &Path,
        (run, attempt): (&StreamId, u32),
        agent: AgentName,
        session: &SessionId,
    ) -> Result<Self, Failure> {
        let gone = || {
            let message = format!("{agent} has no session {session} here");
            Failure::new(ErrorKind::SessionNotFound, message)
        };
        let root = state.join("agents");
        let file = root.join("sessions").join(agent.as_str()).join(session.as_str());
        let name = fs::read_to_string(file).map_err(|_| gone())?;
        let is_plain = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        if name.is_empty() || !is_plain(&name) || !root.join("homes").join(&name).is_dir() {
            return Err(gone());
        }
        take(root, name, format!("{run}-{attempt}"), false)
    }

    pub(super) fn home(&self) -> PathBuf {
        self.folder().join("home")
    }

    pub(super) fn temporary(&self) -> PathBuf {
        self.folder().join("tmp")
    }

    pub(super) fn spool(&self) -> PathBuf {
        self.folder().join(&self.attempt)
    }

    fn folder(&self) -> PathBuf {
        self.root.join("homes").join(&self.name)
    }

    /// Makes the session known, so that it can be gone on with. A name that belongs to another conversation stays
    /// there: the agent says its session's name, and it may say anything.
    pub(super) fn remember(&self, agent: AgentName, session: &SessionId) -> Result<(), Failure> {
        let folder = self.root.join("sessions").join(agent.as_str());
        make_folder(&folder)?;
        let file = folder.join(session.as_str());
        let made = fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&file)
            .and_then(|mut file| file.write_all(self.name.as_bytes()));
        match made {
            Err(error) if error.kind() == ErrorKindOfIo::AlreadyExists => {
                if fs::read_to_string(&file).is_ok_and(|name| name == self.name) {
                    return Ok(());
                }
                let message = format!("{agent} gave its session a name that another one has: {session}");
                Err(Failure::new(ErrorKind::Conflict, message))
            }
            made => made.map_err(|error| failed(&file, &error)),
        }
    }

    /// Deletes what nobody needs any more: temporary files, and the home of a conversation that never began.
    pub(super) fn tidy(&self, has_session: bool) {
        let gone = if has_session || !self.is_new {
            self.temporary()
        } else {
            self.folder()
        };
        if let Err(error) = fs::remove_dir_all(&gone) {
            tracing::debug!(%error, folder = %gone.display(), "a folder of an agent stays");
        }
    }
}

/// Takes a folder for one attempt. Sandboxes open exactly the path they are told, so it must have no link in it.
fn take(root: PathBuf, name: String, attempt: String, is_new: bool) -> Result<Place, Failure> {
    let root = fs::canonicalize(&root).map_err(|error| failed(&root, &error))?;
    let file = root.join("homes").join(&name).join("lock");
    let lock = fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
        .open(&file)
        .map_err(|error| failed(&file, &error))?;
    match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(Place {
            root,
            name,
            attempt,
            is_new,
            _lock: lock,
        }),
        Err(Errno::WOULDBLOCK) => {
            let message = "another run goes on with this session at this moment";
            Err(Failure::new(ErrorKind::Conflict, message))
        }
        Err(error) => Err(failed(&file, &error.into())),
    }
}

fn make_folder(path: &Path) -> Result<(), Failure> {
    let mut builder = fs::DirBuilder::new();
    let made = builder.recursive(true).mode(0o700).create(path);
    made.map_err(|error| failed(path, &error))
}

fn failed(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(ErrorKind::StorageError, format!("{}: {error}", path.display()))
}
