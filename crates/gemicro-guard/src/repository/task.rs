//! The private repository of a task. Nothing here starts git.
//!
//! The main type is [`TaskRepo`]. An agent may write worktree and git directory as it likes, so both are only read,
//! beneath the task's folder, or thrown away and made anew.

use std::path::{Path, PathBuf};

use gemicro_event::text;

use super::commit_id::CommitId;
use super::create;
use super::error::RepositoryError;
use super::import::ImportResult;
use super::layout::{self, TaskLayout};
use super::open_beneath;
use super::record::TaskRecord;
use super::slug::Slug;
use super::trusted::TrustedRepo;
use crate::sandbox::{Network, PinnedPath, Profile, ResourceLimits, Shells, WriteMode};

/// What a sandbox for a task needs besides the task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskSandbox {
    /// How much may be changed.
    pub mode: WriteMode,
    /// The user's home, which is replaced by an empty folder.
    pub user_home: PathBuf,
    /// Toolchains and the CLI's installation.
    pub readable: Vec<PathBuf>,
    /// Further paths that must not be seen.
    pub hidden: Vec<PathBuf>,
    /// What network the command can reach.
    pub network: Network,
    /// Whether Unix sockets may be made.
    pub unix_sockets: bool,
    /// Limits on processes, open files, file size and memory.
    pub limits: ResourceLimits,
    /// Variables that are set, as name and value.
    pub environment: Vec<(String, String)>,
}

/// The repository of one task.
#[derive(Debug)]
pub struct TaskRepo {
    pub(super) layout: TaskLayout,
    pub(super) record: TaskRecord,
    /// What of the user's repository can be read inside.
    stores: Vec<PathBuf>,
    /// What of it must not be seen.
    hidden: Vec<PathBuf>,
}

impl TaskRepo {
    pub(super) fn from_parts(
        repository: &TrustedRepo,
        layout: TaskLayout,
        record: TaskRecord,
    ) -> Result<Self, RepositoryError> {
        Ok(Self {
            layout,
            record,
            stores: stores(repository),
            hidden: create::hidden_folders(repository)?,
        })
    }

    /// Opens a task that was made before, by this process or an earlier one.
    ///
    /// # Errors
    /// When the folder is none of this repository's tasks. That its branch was moved by somebody else is told by
    /// the next import, and repaired by [`TaskRepo::rebuild`].
    pub fn reopen(repository: &TrustedRepo, folder: &Path) -> Result<Self, RepositoryError> {
        let folder =
            std::fs::canonicalize(folder).map_err(|error| RepositoryError::file("find", folder, error))?;
        let mut record = TaskRecord::read(&folder)?;
        if record.repository != repository.common() {
            return Err(RepositoryError::NotATask {
                why: format!("it belongs to {}", record.repository.display()),
                folder,
            });
        }
        let found = repository.task_branch(&record.slug)?;
        // An import may have been cut off after the branch was moved.
        if let Some(next) = record.next.take()
            && found.as_ref() == Some(&next)
        {
            record.tip = next;
        }
        record.write(&folder)?;
        Self::from_parts(repository, TaskLayout { folder }, record)
    }

    /// The git directory of the repository that the task in a folder is of.
    ///
    /// # Errors
    /// When there is no task in the folder, or it was never finished.
    pub fn repository_of(folder: &Path) -> Result<PathBuf, RepositoryError> {
        TaskRecord::read(folder).map(|record| record.repository)
    }

    /// The same, and the name of the task in it.
    ///
    /// # Errors
    /// As for [`TaskRepo::repository_of`].
    pub fn repository_and_slug(folder: &Path) -> Result<(PathBuf, Slug), RepositoryError> {
        TaskRecord::read(folder).map(|record| (record.repository, record.slug))
    }

    /// The task's id: the name of its folder.
    #[must_use]
    pub fn id(&self) -> String {
        let name = self.layout.folder.file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// The folder `<state>/tasks/<id>`, which holds everything that the task has on disk.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.layout.folder
    }

    /// The folder that the agent works in.
    #[must_use]
    pub fn worktree(&self) -> PathBuf {
        self.layout.worktree()
    }

    /// The agent's home, `home` in the task's folder.
    #[must_use]
    pub fn home(&self) -> PathBuf {
        self.layout.home()
    }

    /// Names the branch: `task/<slug>`.
    #[must_use]
    pub fn slug(&self) -> &Slug {
        &self.record.slug
    }

    /// The commit that the task began with.
    #[must_use]
    pub fn base(&self) -> &CommitId {
        &self.record.base
    }

    /// The last commit that was imported, or the base.
    #[must_use]
    pub fn tip(&self) -> &CommitId {
        &self.record.tip
    }

    /// What the import brought that moved the branch to its tip.
    #[must_use]
    pub fn last_import(&self) -> Option<&ImportResult> {
        let last = self.record.last.as_ref();
        last.filter(|last| last.new == self.record.tip)
    }

    /// The sandbox of an agent that works on this task.
    #[must_use]
    pub fn profile(&self, sandbox: TaskSandbox) -> Profile {
        let layout = &self.layout;
        let mut readable = self.stores.clone();
        readable.extend(sandbox.readable);
        let handover = layout.handover();
        readable.extend(handover.is_dir().then_some(handover));
        let mut hidden = self.hidden.clone();
        hidden.extend(sandbox.hidden);
        Profile {
            mode: sandbox.mode,
            workspace: layout.worktree(),
            writable: vec![layout.git_directory()],
            pinned: layout.pinned_paths(),
            // They help careless agents. What protects the user is that no git is started there outside.
            pinning: PinnedPath::WherePossible,
            shells: Shells::Within,
            readable,
            hidden,
            user_home: sandbox.user_home,
            home: layout.home(),
            temporary: layout.temporary(),
            network: sandbox.network,
            unix_sockets: sandbox.unix_sockets,
            limits: sandbox.limits,
            environment: sandbox.environment,
        }
    }

    /// Looks, as data, whether the agent is still on its branch. To be asked after every step.
    ///
    /// # Errors
    /// [`RepositoryError::BranchSwitched`] when it is not, or when nobody can tell.
    pub fn check_branch(&self) -> Result<(), RepositoryError> {
        let expected = format!("ref: {}", self.record.slug.reference());
        let found = match open_beneath::read_small(&self.layout.folder, "git/HEAD", 4096) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).trim_end().to_owned(),
            Err(error) => format!("not readable ({error})"),
        };
        if found == expected {
            return Ok(());
        }
        Err(RepositoryError::BranchSwitched {
            expected: self.record.slug.branch(),
            found: text::plain(&found, 200),
        })
    }

    /// Throws worktree, git directory, home and temporary files away and makes them anew at the branch's tip in the user's repository.
    /// Nothing of the agent must be running.
    ///
    /// # Errors
    /// When the branch is gone, or the disk full.
    pub fn rebuild(&mut self, repository: &TrustedRepo) -> Result<(), RepositoryError> {
        let tip = repository.task_branch(&self.record.slug)?;
        let tip = tip.ok_or_else(|| RepositoryError::BranchMissing {
            branch: self.record.slug.branch(),
        })?;
        let mut record = self.record.clone();
        (record.tip, record.next) = (tip, None);
        let layout = &self.layout;
        let home = layout.home();
        for folder in [
            layout.worktree(),
            layout.git_directory(),
            layout.temporary(),
            home.clone(),
        ] {
            layout::throw_away(&folder)?;
        }
        layout::make_folder(&layout.temporary())?;
        layout::make_folder(&home)?;
        create::build(repository, layout, &record)?;
        record.write(&layout.folder)?;
        self.record = record;
        Ok(())
    }

    /// Removes the task's folder; the branch stays. What an agent made irremovable is left beside it as `*.old`.
    ///
    /// # Errors
    /// When the folder cannot be moved out of the way.
    pub fn discard(self) -> Result<(), RepositoryError> {
        Self::discard_folder(&self.layout.folder)
    }

    /// The same for a folder that may be incomplete.
    ///
    /// # Errors
    /// As for [`TaskRepo::discard`].
    pub fn discard_folder(folder: &Path) -> Result<(), RepositoryError> {
        layout::throw_away(folder)
    }
}

/// What of the user's repository can be read inside: objects, those of submodules, and files of Git LFS. Not the
/// settings beside them, which may hold credentials.
fn stores(repository: &TrustedRepo) -> Vec<PathBuf> {
    let mut stores = repository.object_folders().to_vec();
    let lfs = repository.common().join("lfs/objects");
    if lfs.is_dir() {
        stores.push(lfs);
    }
    let mut left = vec![repository.common().join("modules")];
    while let Some(folder) = left.pop() {
        if folder.join("HEAD").is_file() && folder.join("objects").is_dir() {
            stores.push(folder.join("objects"));
            left.push(folder.join("modules"));
            continue;
        }
        // A submodule's name may have slashes.
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        left.extend(folders.map(|entry| entry.path()));
    }
    stores
}
