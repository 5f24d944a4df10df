//! How git is started for a user: plain data from the caller, who may read the environment. Starts nothing; see `git`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::error::RepositoryError;
use crate::search_path;

/// How git is started for this user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitSettings {
    /// The user's `PATH`, in which git is looked up.
    pub search_path: OsString,
    /// The user's home folder, which contains git's settings, including the list of safe folders.
    pub home: PathBuf,
    /// The user's `XDG_CONFIG_HOME`, if set.
    pub config_home: Option<PathBuf>,
    /// Maximum duration of a git command.
    pub time_limit: Duration,
    /// Maximum duration of a git command that contacts a remote.
    pub remote_time_limit: Duration,
    /// The user's variables that git needs to reach a remote; only commands that contact a remote get them. Only those
    /// in [`GitSettings::REMOTE_VARIABLES`] are passed on.
    pub remote_variables: Vec<(String, OsString)>,
    /// Folders that agents can write, such as `<state>/tasks`: no repository in them is ever opened.
    pub agent_folders: Vec<PathBuf>,
}

impl GitSettings {
    /// Variables needed to reach a remote: the ssh agent, proxies, certificates, and variables of common credential
    /// helpers.
    pub const REMOTE_VARIABLES: &[&str] = &[
        "SSH_AUTH_SOCK",
        "SSH_AGENT_PID",
        "http_proxy",
        "https_proxy",
        "HTTPS_PROXY",
        "all_proxy",
        "ALL_PROXY",
        "no_proxy",
        "NO_PROXY",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "GIT_SSL_CAINFO",
        "GIT_SSL_CAPATH",
        "GIT_SSH_COMMAND",
        "USER",
        "LOGNAME",
        "XDG_RUNTIME_DIR",
        "XDG_CACHE_HOME",
        "XDG_DATA_HOME",
        "DBUS_SESSION_BUS_ADDRESS",
        "GNUPGHOME",
        "PASSWORD_STORE_DIR",
        "GH_CONFIG_DIR",
        "GH_TOKEN",
        "GITHUB_TOKEN",
        "GITLAB_TOKEN",
    ];

    /// The settings of a user, with a limit of five minutes for a command, and one minute for a remote.
    #[must_use]
    pub fn new(search_path: impl Into<OsString>, home: impl Into<PathBuf>) -> Self {
        Self {
            search_path: search_path.into(),
            home: home.into(),
            config_home: None,
            time_limit: Duration::from_secs(300),
            remote_time_limit: Duration::from_secs(60),
            remote_variables: Vec::new(),
            agent_folders: Vec::new(),
        }
    }

    /// The search path for programs in a folder's repository, without folders where an agent or the repository could
    /// have put a program.
    pub(super) fn programs(&self, folder: &Path) -> OsString {
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
        let top = folder.ancestors().find(|above| above.join(".git").exists());
        let mut shut = self.agent_folders.clone();
        shut.push(top.map_or_else(|| folder.clone(), Path::to_path_buf));
        search_path(&self.search_path, &shut)
    }

    /// The variables for a command that contacts a remote.
    pub(super) fn ways_to_remotes(&self) -> impl Iterator<Item = (&str, &OsString)> {
        let given = self.remote_variables.iter();
        given
            .map(|(name, value)| (name.as_str(), value))
            .filter(|(name, _)| Self::REMOTE_VARIABLES.contains(name))
    }

    /// Refuses folders that agents can write: git there would do what the agent wants.
    pub(super) fn refuse_agents(&self, folder: &Path) -> Result<(), RepositoryError> {
        let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let folder = real(folder);
        if self
            .agent_folders
            .iter()
            .any(|agents| folder.starts_with(real(agents)))
        {
            return Err(RepositoryError::AgentsFolder { folder });
        }
        Ok(())
    }
}
