//! How an agent's commits are imported: with which message, in which sandbox, and by which rules.

use std::path::PathBuf;
use std::time::Duration;

use gemicro_core::ask::AgentTask;
use gemicro_event::StreamId;
use gemicro_guard::repository::{
    CommitId, CommitMessage, ImportRules, InsideCommand, RepositoryError, ReservedPath, TaskRepo,
    TaskSandbox, TrustedRepo,
};
use gemicro_guard::sandbox::{Launcher, Network, ResourceLimits, Tier, WriteMode};
use gemicro_pipeline::steps::reserved_paths;

use super::setup::AgentSetup;

/// Time limit of gemicro's own git commands in the sandbox.
const INSIDE: Duration = Duration::from_secs(120);
/// Maximum length of the subject of a commit that gemicro makes for an agent, in characters.
const SUBJECT_CHARS: usize = 72;

/// Finds faults in a commit before the branch is moved to it.
type Faults = dyn Fn(&TrustedRepo, &CommitId) -> Result<Vec<String>, RepositoryError> + Send;

/// Imports an agent's commits with these settings.
pub struct BranchImport {
    launcher: Launcher,
    tier: Tier,
    user_home: PathBuf,
    environment: Vec<(String, String)>,
    pub(super) message: CommitMessage,
    pub(super) rules: ImportRules,
    pub(super) faults: Box<Faults>,
    /// The mark of the importing step.
    pub(super) by: Option<String>,
}

impl BranchImport {
    /// An import for the run of a task.
    pub(super) fn of(setup: &AgentSetup, tier: Tier, task: &AgentTask, run: &StreamId) -> Self {
        Self::with(setup, tier, message(task, run)).with_reserved_paths(reserved_paths(None))
    }

    /// An import with this message for uncommitted changes.
    pub fn with(setup: &AgentSetup, tier: Tier, message: CommitMessage) -> Self {
        let fixed = [("PATH", setup.search_path()), ("LC_ALL", "C.UTF-8".to_owned())];
        Self {
            launcher: setup.launcher.clone(),
            tier,
            user_home: setup.user_home.clone(),
            environment: fixed.map(|(name, value)| (name.to_owned(), value)).to_vec(),
            message,
            rules: ImportRules::default(),
            faults: Box::new(|_, _| Ok(Vec::new())),
            by: None,
        }
    }

    /// Writes a mark before anything is imported, so that an interrupted step is recognised.
    pub fn with_mark(mut self, by: String) -> Self {
        self.by = Some(by);
        self
    }

    /// Imports only changes in these folders.
    pub fn only(mut self, folders: Vec<String>) -> Self {
        self.rules.only = Some(folders);
        self
    }

    /// Imports none of these paths.
    pub fn never(mut self, paths: Vec<String>) -> Self {
        self.rules.never = paths;
        self
    }

    /// Refuses changes of these paths.
    pub fn with_reserved_paths(mut self, reserved: Vec<ReservedPath>) -> Self {
        self.rules.reserved = reserved;
        self
    }

    /// Allows only plain files in these folders, and nothing else in their place.
    pub fn plain(mut self, folders: Vec<String>) -> Self {
        self.rules.plain = folders;
        self
    }

    /// Allows a merge of a commit that the user's repository has.
    pub fn with_known_commit(mut self, commit: CommitId) -> Self {
        self.rules.known.push(commit);
        self
    }

    /// Imports nothing if the new tip has faults.
    pub fn unless(
        mut self,
        faults: impl Fn(&TrustedRepo, &CommitId) -> Result<Vec<String>, RepositoryError> + Send + 'static,
    ) -> Self {
        self.faults = Box::new(faults);
        self
    }

    /// The sandbox of gemicro's own git commands.
    pub(super) fn inside(&self, task: &TaskRepo) -> InsideCommand {
        let profile = task.profile(TaskSandbox {
            mode: WriteMode::WorkspaceWrite,
            user_home: self.user_home.clone(),
            readable: Vec::new(),
            hidden: Vec::new(),
            network: Network::None,
            unix_sockets: false,
            limits: ResourceLimits::default(),
            environment: self.environment.clone(),
        });
        InsideCommand {
            launcher: self.launcher.clone(),
            tier: self.tier,
            profile,
            time_limit: INSIDE,
        }
    }
}

/// The commit message for changes that the agent did not commit itself.
fn message(task: &AgentTask, run: &StreamId) -> CommitMessage {
    let first = task
        .prompt
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default();
    let subject: String = first.trim().chars().take(SUBJECT_CHARS).collect();
    CommitMessage {
        text: subject,
        trailers: vec![
            ("Gemicro-Run".to_owned(), run.to_string()),
            ("Gemicro-Agent".to_owned(), task.agent.to_string()),
        ],
    }
}
