//! A branch in a step of a pipeline: created by a run, reopened as it was left, with its own sandbox.

use std::path::{Path, PathBuf};

use gemicro_core::ask::AgentName;
use gemicro_event::{ErrorKind, Failure};
use gemicro_guard::repository::{
    CommitId, CommitMessage, FileAt, Merge, NewTask, ShowOutcome, Slug, TaskRepo, TaskStart, TrustedRepo,
    show,
};
use gemicro_guard::sandbox::{Profile, Tier};

use super::branch::{OnBranch, repository};
use super::branch_import::BranchImport;
use super::pipeline_sandbox::PipelineSandbox;
use super::setup::AgentSetup;
use super::task_folder::{FolderMarks, id_of, is_whole, lock, put_aside, tasks_folder, to_failure};
use super::workspace_settings::{self, MAX_INSTRUCTIONS};

impl OnBranch {
    /// Creates a branch for a run, or finds the one that it created before it was interrupted; `None` if the name is
    /// taken. Blocks.
    pub fn begin(
        setup: &AgentSetup,
        state: &Path,
        (directory, branch): (&str, &str),
        run: &str,
    ) -> Result<Option<Self>, Failure> {
        let tasks = tasks_folder(state)?;
        let slug: Slug = branch.parse().map_err(|error| to_failure(&error))?;
        let repository = repository(setup, &tasks, directory)?;
        let id = id_of(&repository, &slug);
        let Ok(lock) = lock(&tasks.join(format!("{id}.lock")), &slug) else {
            return Ok(None);
        };
        let marks = FolderMarks::of(&tasks, &id);
        let is_there = repository
            .task_branch(&slug)
            .map_err(|error| to_failure(&error))?
            .is_some();
        if is_there && marks.owner().as_deref() != Some(run) {
            return Ok(None);
        }
        marks.own(run)?;
        let folder = tasks.join(&id);
        // The folder of a deleted branch, or of an interrupted attempt.
        if folder.exists() {
            put_aside(&folder, &marks, &mut Vec::new())?;
        }
        let start = TaskStart::ContinueOrNew(repository.head().clone());
        let task = TaskRepo::create(&repository, NewTask { folder, slug, start })
            .map_err(|error| to_failure(&error))?;
        let notes = repository.notes().iter().map(|note| note.message().to_owned());
        let notes = notes.collect();
        marks.begin()?;
        Self::open_branch(repository, task, (notes, marks), true, lock).map(Some)
    }

    /// Opens the task of an existing branch, with its folder as it was left. Blocks.
    pub fn reopen(
        setup: &AgentSetup,
        state: &Path,
        (directory, branch): (&str, &str),
    ) -> Result<Self, Failure> {
        let tasks = tasks_folder(state)?;
        let slug: Slug = branch.parse().map_err(|error| to_failure(&error))?;
        let repository = repository(setup, &tasks, directory)?;
        let id = id_of(&repository, &slug);
        let lock = lock(&tasks.join(format!("{id}.lock")), &slug)?;
        repository
            .check_not_checked_out(&slug)
            .map_err(|error| to_failure(&error))?;
        let Some(tip) = repository
            .task_branch(&slug)
            .map_err(|error| to_failure(&error))?
        else {
            let message = format!("branch {branch} no longer exists, so the run cannot continue");
            return Err(Failure::new(ErrorKind::NotFound, message));
        };
        let marks = FolderMarks::of(&tasks, &id);
        let folder = tasks.join(&id);
        let found = TaskRepo::reopen(&repository, &folder)
            .ok()
            .filter(|_| is_whole(&folder));
        let task = match found.filter(|task| *task.tip() == tip) {
            Some(task) => task,
            None => {
                // The branch was not moved by one of our steps, so none may be recognised by its mark.
                marks.forget_landing();
                if folder.exists() {
                    put_aside(&folder, &marks, &mut Vec::new())?;
                }
                let start = TaskStart::Continue;
                TaskRepo::create(&repository, NewTask { folder, slug, start })
                    .map_err(|error| to_failure(&error))?
            }
        };
        marks.begin()?;
        Self::open_branch(repository, task, (Vec::new(), marks), false, lock)
    }

    /// Restricts an agent's step to the folders that it may write.
    pub fn stage(&mut self, only: Option<Vec<String>>) {
        self.stage = Some(PipelineSandbox { only });
    }

    /// Prepares the checkout for an agent: leaves out settings that it must not load, and sets the instructions that
    /// the project had when the task began. Blocks.
    pub fn fit(&mut self, setup: &AgentSetup, tier: Tier, agent: AgentName) -> Result<(), Failure> {
        let writes_documents_only = self.stage.as_ref().is_some_and(|stage| stage.only.is_some());
        let patterns = workspace_settings::withheld(agent, writes_documents_only);
        if !patterns.is_empty() && tier != Tier::None {
            let inside = BranchImport::with(setup, tier, CommitMessage::empty()).inside(&self.task);
            let withheld = inside.withhold(&self.task, &patterns);
            withheld.map_err(|error| to_failure(&error))?;
        }
        // If Gemini CLI sees the file, it loads it by itself.
        self.instructions = match (agent, writes_documents_only) {
            (AgentName::Gemini, false) => String::new(),
            (AgentName::Gemini, true) | (AgentName::Claude | AgentName::Codex, _) => {
                let (name, most) = (workspace_settings::instructions_file(agent), MAX_INSTRUCTIONS);
                let found = self.repository.read_file(self.task.base(), name, most);
                match found.map_err(|error| to_failure(&error))? {
                    Some(FileAt::File { bytes, .. }) => String::from_utf8_lossy(&bytes).into_owned(),
                    Some(FileAt::Link | FileAt::Folder | FileAt::Gitlink) | None => String::new(),
                }
            }
        };
        Ok(())
    }

    /// Merges a commit in the private checkout. Blocks.
    pub fn merge(
        &self,
        setup: &AgentSetup,
        tier: Tier,
        theirs: &CommitId,
        message: &CommitMessage,
    ) -> Result<Merge, Failure> {
        let inside = BranchImport::with(setup, tier, message.clone()).inside(&self.task);
        inside
            .merge(&self.task, theirs, message)
            .map_err(|error| to_failure(&error))
    }

    /// The same sandbox profile, with the private git directory read-only.
    pub fn with_readable_git(&self, profile: Profile) -> Profile {
        self.task.with_readable_git(profile)
    }

    /// Restores the tracked files of the private checkout to the tip. Blocks.
    pub fn restore(&self, setup: &AgentSetup, tier: Tier) -> Result<(), Failure> {
        let inside = BranchImport::with(setup, tier, CommitMessage::empty()).inside(&self.task);
        inside
            .restore(&self.repository, &self.task)
            .map_err(|error| to_failure(&error))
    }

    /// Writes a file for the agent to read. Blocks.
    pub fn write_handover(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, Failure> {
        self.task
            .write_handover(name, bytes)
            .map_err(|error| to_failure(&error))
    }

    /// The folder of such files.
    pub fn handover(&self) -> PathBuf {
        self.task.handover()
    }

    /// The same folder, if it exists.
    pub(super) fn given_folder(&self) -> Option<PathBuf> {
        Some(self.handover()).filter(|folder| folder.is_dir())
    }

    /// Updates the checkout for people to the tip. Blocks.
    pub fn show(&self) -> Option<String> {
        match show(&self.repository, self.task.slug(), self.task.tip()) {
            ShowOutcome::At(folder) => Some(folder.display().to_string()),
            ShowOutcome::Left { .. } => None,
        }
    }

    /// The user's repository, which contains the branch.
    pub fn repository(&self) -> &TrustedRepo {
        &self.repository
    }

    /// The full name of the branch.
    pub fn name(&self) -> String {
        self.task.slug().branch()
    }

    /// The commit on which the task is based.
    pub fn base(&self) -> String {
        self.task.base().to_string()
    }

    /// Notes for the user.
    pub fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    /// Folder for the caches between checkouts.
    pub fn caches(&self) -> PathBuf {
        self.task.folder().join("caches")
    }

    /// The mark of the last importing step.
    pub fn landed_by(&self) -> Option<String> {
        self.marks.landed_by()
    }
}
