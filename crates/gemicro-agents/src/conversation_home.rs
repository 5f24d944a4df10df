//! Folders of agents in the state folder: a home per conversation, found by its session id.
//!
//! ```text
//! agents/homes/NAME/about.json              who talks where, in which runs
//! agents/homes/NAME/home                    settings and sessions of one agent, nobody else's files
//! agents/homes/NAME/home/.shells            homes of its shells; emptied after every turn
//! agents/homes/NAME/tmp                     its temporary files; emptied after every run
//! agents/homes/NAME/RUN-STEP-N.stdout.log   the output of attempt N of a step
//! agents/homes/NAME/RUN-STEP-N.stderr.log   where there was any
//! agents/sessions/AGENT/ID                  a file with NAME
//! agents/spare                              the next one, before it has a name
//! ```
//!
//! Callers wait for everything that is created or deleted here, so avoid unnecessary operations.

use std::fs::{self, File};
use std::io::ErrorKind as ErrorKindOfIo;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use gemicro_core::ask::{AgentName, AgentTask};
use gemicro_event::{ErrorKind, Failure, StreamId};
use gemicro_guard::sandbox::Profile;
use gemicro_runner::{SessionId, empty_folder};
use rustix::fs::OFlags;

use super::folder::{folder_failure, hold, make_folder, write_new};
use super::prepared_home::PreparedHome;
use super::session_metadata::SessionMetadata;

/// The agent that a session belongs to, if it is known here.
pub(super) fn agent_of_session(state: &Path, session: &str) -> Option<AgentName> {
    let session: SessionId = session.parse().ok()?;
    let sessions = state.join("agents").join("sessions");
    let has = |agent: &AgentName| sessions.join(agent.as_str()).join(session.as_str()).is_file();
    AgentName::ALL.into_iter().find(has)
}

/// The name of the home of a session.
pub(super) fn name_of(state: &Path, agent: AgentName, session: &SessionId) -> Result<String, Failure> {
    let root = state.join("agents");
    let file = root.join("sessions").join(agent.as_str()).join(session.as_str());
    let is_plain = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    match fs::read_to_string(file) {
        Ok(name) if !name.is_empty() && is_plain(&name) && root.join("homes").join(&name).is_dir() => {
            Ok(name)
        }
        Ok(_) | Err(_) => Err(match agent_of_session(state, session.as_str()) {
            Some(owner) if owner != agent => {
                let message = format!("session {session} belongs to {owner}, not {agent}");
                Failure::new(ErrorKind::InvalidInput, message)
            }
            Some(_) | None => {
                let message =
                    format!("{agent} has no session {session} here: leave it out to begin a new one");
                Failure::new(ErrorKind::SessionNotFound, message)
            }
        }),
    }
}

/// Refuses a task if its conversation belongs to another folder or branch.
pub(super) fn belongs(
    state: &Path,
    name: &str,
    task: &AgentTask,
    session: &SessionId,
) -> Result<(), Failure> {
    let Some(about) = SessionMetadata::read(&state.join("agents").join("homes").join(name))? else {
        return Ok(());
    };
    let wrong = |message| Err(Failure::new(ErrorKind::InvalidInput, message));
    if about.directory != task.directory {
        return wrong(format!(
            "session {session} belongs to the folder {}: give that one, or begin a new session",
            about.directory
        ));
    }
    if about.branch != task.branch {
        return wrong(match about.branch {
            Some(branch) => {
                format!("session {session} works on {branch}: give --branch {branch}, or begin a new session")
            }
            None => format!(
                "session {session} works in the folder itself: leave the branch out, or begin a new session"
            ),
        });
    }
    Ok(())
}

/// The turns of a session of any agent.
pub(super) fn turns_of_session(state: &Path, session: &str) -> Vec<StreamId> {
    let Some(agent) = agent_of_session(state, session) else {
        return Vec::new();
    };
    let name = session
        .parse()
        .and_then(|session| name_of(state, agent, &session));
    let about = name.and_then(|name| SessionMetadata::read(&state.join("agents").join("homes").join(name)));
    about.ok().flatten().map(|about| about.turns).unwrap_or_default()
}

/// Whether no conversation ever began in a home: it has no metadata, and no session refers to it.
pub fn has_no_session(state: &Path, home: &Path) -> bool {
    let is_named = |agent: &AgentName| {
        let sessions = fs::read_dir(state.join("agents").join("sessions").join(agent.as_str()));
        let mut names = sessions.into_iter().flatten().flatten();
        names.any(|file| fs::read_to_string(file.path()).is_ok_and(|name| home.ends_with(name)))
    };
    matches!(SessionMetadata::read(home), Ok(None)) && !AgentName::ALL.iter().any(is_named)
}

/// The folder of one conversation, locked by one attempt at a time.
#[derive(Debug)]
pub(super) struct ConversationHome {
    root: PathBuf,
    name: String,
    /// The attempt that works here now.
    attempt: String,
    /// Metadata of the conversation; `None` before its first answer.
    about: Option<SessionMetadata>,
    /// It was created for this attempt.
    is_new: bool,
    /// Locks out others while it is open.
    _lock: File,
}

impl ConversationHome {
    /// A new home for an attempt; uses the prepared one, if there is one.
    pub(super) fn new(state: &Path, attempt: &str, spare: Option<&PreparedHome>) -> Result<Self, Failure> {
        let name = attempt.to_owned();
        let root = state.join("agents");
        let folder = root.join("homes").join(&name);
        if !spare.is_some_and(|spare| spare.put(&folder)) {
            make_folder(&folder)?;
        }
        // Until it is locked, the cleanup of leftovers may delete it.
        let mut place = take(root.clone(), name.clone(), name.clone());
        if !folder.exists() {
            make_folder(&folder)?;
            place = take(root, name.clone(), name);
        }
        Ok(Self {
            is_new: true,
            ..place?
        })
    }

    /// The home of a session.
    pub(super) fn of_session(
        state: &Path,
        attempt: &str,
        agent: AgentName,
        session: &SessionId,
    ) -> Result<Self, Failure> {
        let name = name_of(state, agent, session)?;
        take(state.join("agents"), name, attempt.to_owned())
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Metadata of the conversation.
    pub(super) fn about(&self) -> Option<&SessionMetadata> {
        self.about.as_ref()
    }

    /// Continues with another attempt in the same home.
    pub(super) fn for_attempt(self, attempt: &str) -> Self {
        Self {
            attempt: attempt.to_owned(),
            ..self
        }
    }

    /// Continues with a second try of the same attempt; the output of the first is kept.
    pub(super) fn again(self) -> Self {
        Self {
            attempt: format!("{}-again", self.attempt),
            ..self
        }
    }

    pub(super) fn home(&self) -> PathBuf {
        self.folder().join("home")
    }

    pub(super) fn temporary(&self) -> PathBuf {
        self.folder().join("tmp")
    }

    /// Prefix of the files for its output.
    pub(super) fn spool(&self) -> PathBuf {
        self.folder().join(&self.attempt)
    }

    fn folder(&self) -> PathBuf {
        self.root.join("homes").join(&self.name)
    }

    /// Records the session, so that it can be resumed, and the run as one of its turns. An id that belongs to another
    /// conversation stays there: the agent chooses the id, and it may choose anything. Returns the file that has to be
    /// synced to disk.
    pub(super) fn remember(
        &mut self,
        task: &AgentTask,
        session: &SessionId,
        run: &StreamId,
        of_pipeline: bool,
    ) -> Result<File, Failure> {
        self.name_session(task.agent, session)?;
        let mut about = self.about.take().unwrap_or_else(|| SessionMetadata {
            agent: task.agent,
            directory: task.directory.clone(),
            session: String::new(),
            model: None,
            sandbox: None,
            yolo: None,
            branch: task.branch.clone(),
            of_pipeline: Some(of_pipeline),
            turns: Vec::new(),
        });
        about.model.clone_from(&task.model);
        (about.sandbox, about.yolo) = (Some(task.sandbox), Some(task.yolo));
        session.as_str().clone_into(&mut about.session);
        if !about.turns.contains(run) {
            about.turns.push(run.clone());
        }
        let folder = self.folder();
        let written = about
            .write(&folder)
            .map_err(|error| folder_failure(&folder, &error));
        self.about = Some(about);
        written
    }

    fn name_session(&self, agent: AgentName, session: &SessionId) -> Result<(), Failure> {
        let folder = self.root.join("sessions").join(agent.as_str());
        let file = folder.join(session.as_str());
        let mut made = write_new(&file, self.name.as_bytes());
        if made
            .as_ref()
            .is_err_and(|error| error.kind() == ErrorKindOfIo::NotFound)
        {
            make_folder(&folder)?;
            made = write_new(&file, self.name.as_bytes());
        }
        match made {
            Err(error) if error.kind() == ErrorKindOfIo::AlreadyExists => {
                if fs::read_to_string(&file).is_ok_and(|name| name == self.name) {
                    return Ok(());
                }
                let message = format!("{agent} reported a session id that is already in use: {session}");
                Err(Failure::new(ErrorKind::Conflict, message))
            }
            made => made.map(drop).map_err(|error| folder_failure(&file, &error)),
        }
    }

    /// Deletes what is no longer needed: temporary files, homes of shells, and the home of a conversation that never
    /// began.
    pub(super) fn tidy(&self, has_session: bool) {
        self.forget_shells();
        empty(&self.temporary());
        if !has_session && self.is_new {
            // Its own permissions may prevent the deletion.
            empty(&self.home());
            log_failure(&self.folder(), fs::remove_dir_all(self.folder()));
        }
    }

    /// Deletes what the shells of a turn wrote into their homes.
    pub(super) fn forget_shells(&self) {
        empty(&Profile::shells_in(&self.home()));
    }
}

fn empty(folder: &Path) {
    log_failure(folder, empty_folder(folder));
}

fn log_failure(folder: &Path, gone: std::io::Result<()>) {
    if let Err(error) = gone
        && error.kind() != ErrorKindOfIo::NotFound
    {
        tracing::debug!(%error, folder = %folder.display(), "files of an agent stay");
    }
}

/// Locks a folder for one attempt. Sandboxes open exactly the given path, so it must not contain links.
fn take(root: PathBuf, name: String, attempt: String) -> Result<ConversationHome, Failure> {
    let root = fs::canonicalize(&root).map_err(|error| folder_failure(&root, &error))?;
    let folder = root.join("homes").join(&name);
    // The folder itself is the lock: callers would have to wait for an additional file.
    let lock = fs::OpenOptions::new()
        .read(true)
        .custom_flags((OFlags::DIRECTORY | OFlags::NOFOLLOW).bits().cast_signed())
        .open(&folder)
        .map_err(|error| folder_failure(&folder, &error))?;
    if !hold(&lock).map_err(|error| folder_failure(&folder, &error))? {
        let message = "this session is in use: another run uses it, or the worker keeps it warm \
                       (`gemicro worker status`)";
        return Err(Failure::new(ErrorKind::Conflict, message));
    }
    Ok(ConversationHome {
        about: SessionMetadata::read(&folder)?,
        is_new: false,
        root,
        name,
        attempt,
        _lock: lock,
    })
}

#[cfg(test)]
#[path = "conversation_home_tests.rs"]
mod tests;
