//! Errors of repositories, tasks and imports.

use std::path::PathBuf;
use std::time::Duration;

use gemicro_event::ErrorKind;

use super::commit_id::CommitId;
use super::refusal::ImportRefusal;
use super::remote_error::RemoteError;
use crate::sandbox::SandboxError;

/// A failed operation on a repository. The user's repository is unchanged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum RepositoryError {
    /// There is no repository here.
    #[error("{folder} is not in a git repository; go to one, or run `git init` and commit")]
    NotARepository {
        /// The folder asked for.
        folder: PathBuf,
    },
    /// Agents can write to this folder, so git is not started there.
    #[error("{folder} belongs to an agent's task; go to your own checkout")]
    AgentsFolder {
        /// The folder asked for.
        folder: PathBuf,
    },
    /// A repository without a checkout here.
    #[error("{folder} is a bare repository or a git directory; choose a folder of a checkout")]
    NoCheckout {
        /// The folder asked for.
        folder: PathBuf,
    },
    /// Objects are missing, and cannot be fetched inside a sandbox.
    #[error(
        "this is a partial clone (`{setting}`), which lacks some objects; use a full clone: `git clone` without \
         --filter"
    )]
    PartialClone {
        /// The setting that makes it a partial clone.
        setting: String,
    },
    /// The repository belongs to another user.
    #[error(
        "{folder} belongs to another user; if you trust it: git config --global --add safe.directory {folder}"
    )]
    OtherOwner {
        /// The folder asked for.
        folder: PathBuf,
    },
    /// There are no commits to start from.
    #[error("the repository has no commit yet; commit something first")]
    NoCommits,
    /// A path of the repository that cannot be written in git's files.
    #[error("{path} has a line break in its name, which git's own files cannot contain; rename it")]
    UnusablePath { path: PathBuf },
    /// A setting with which git could start a program that gemicro cannot switch off.
    #[error(
        "the repository's own settings have {setting}, which can start programs; remove it (`git config --local --edit`)"
    )]
    UnsafeSetting { setting: String },
    /// An alternate object folder that contains something else.
    #[error("objects/info/alternates names {path}, which is not a folder of git objects; remove that line")]
    BadAlternate { path: PathBuf },
    /// A name that does not resolve to a commit.
    #[error("no commit `{name}` in this repository")]
    UnknownRevision {
        /// The name as given.
        name: String,
    },
    /// A name that cannot be used for a task branch.
    #[error("`{slug}` cannot be the name of a task: {why}")]
    BadSlug {
        /// The name as given.
        slug: String,
        why: &'static str,
    },
    /// A task folder whose name is not an id, or that is in a place agents must not see.
    #[error("{folder} cannot be a task's folder: {why}")]
    BadTaskFolder { folder: PathBuf, why: &'static str },
    /// The folder of a new task exists.
    #[error("{folder} already exists; use another id, or reopen the task")]
    FolderTaken { folder: PathBuf },
    /// The branch of a new task exists, or another branch is in its way.
    #[error("cannot create branch {branch} ({line}); choose another name, or continue on it")]
    BranchTaken {
        branch: String,
        /// The last line that git wrote.
        line: String,
    },
    /// A branch to continue does not exist.
    #[error("there is no branch {branch} to continue on")]
    BranchMissing { branch: String },
    /// The user has the task's branch checked out: moving it would make that checkout look changed.
    #[error(
        "branch {branch} is checked out in {folder}; switch away from it first: git -C {folder} switch --detach"
    )]
    BranchCheckedOut {
        branch: String,
        /// The worktree that has the branch checked out.
        folder: PathBuf,
    },
    /// The checkout of a branch has uncommitted changes, so the branch cannot be moved under it.
    #[error("{folder} has uncommitted changes; commit or stash them (git -C {folder} stash) and try again")]
    DirtyCheckout { folder: PathBuf },
    /// Files in the checkout of a branch would be overwritten.
    #[error("the files in {folder} cannot be updated: {line}; move them away and try again")]
    CheckoutInTheWay {
        folder: PathBuf,
        /// The last line that git wrote.
        line: String,
    },
    /// There is no remote to push to.
    #[error("the repository has no remote to push to; add one with `git remote add origin URL`")]
    NoRemote,
    /// The branch was moved since the last import. Nothing was imported.
    #[error(
        "branch {branch} was moved by another process, from {expected} to {found}; rebuild the task from it"
    )]
    BranchMoved {
        branch: String,
        /// The tip after the last import.
        expected: CommitId,
        found: String,
    },
    /// The agent switched to another branch. Nothing was imported.
    #[error("the agent left branch {expected}: its HEAD is {found}; rebuild the task")]
    BranchSwitched {
        expected: String,
        /// What is checked out instead.
        found: String,
    },
    /// The agent's commits were not imported.
    #[error("the agent's commits were refused: {0}")]
    Refused(ImportRefusal),
    /// A name or path that was given to gemicro cannot be used in a task.
    #[error("`{path}` cannot be used in a task: {why}")]
    BadPath {
        /// The name or path, safe to print.
        path: String,
        why: &'static str,
    },
    /// The main branch cannot be determined from a remote or the repository itself.
    #[error(
        "cannot determine the main branch; check one out, or set it: git config init.defaultBranch <branch>"
    )]
    NoMainBranch,
    /// An error with a remote.
    #[error(transparent)]
    Remote(#[from] RemoteError),
    /// The disk is full.
    #[error("the disk is full ({line}); make room below {folder} and try again")]
    DiskFull {
        /// The folder that was being written.
        folder: PathBuf,
        line: String,
    },
    /// git cannot be started.
    #[error("cannot start git; is it installed and in PATH?")]
    NoGit(#[source] std::io::Error),
    /// git is too old.
    #[error("git is older than 2.31; install a newer one")]
    OldGit,
    /// git failed in the user's repository.
    #[error("`git {command}` failed with code {code}: {line}")]
    Git {
        command: String,
        /// Its exit code, -1 for a signal.
        code: i32,
        /// The last line it wrote.
        line: String,
    },
    /// git did not end in time.
    #[error("`git {command}` did not finish within {limit:?}")]
    GitTimeout { command: String, limit: Duration },
    /// git's output is too long or unexpected.
    #[error("`git {command}` printed unexpected output: {why}")]
    GitAnswer { command: String, why: String },
    /// A file or folder of a task cannot be used.
    #[error("cannot {action} {path}")]
    File {
        /// The verb for the message, such as `create`.
        action: &'static str,
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A folder that is not a task's, or was made by another version.
    #[error("{folder} is not a task's folder: {why}")]
    NotATask { folder: PathBuf, why: String },
    /// The sandbox cannot be started.
    #[error("cannot start the sandbox")]
    Sandbox(#[from] SandboxError),
    /// A command of gemicro failed inside the sandbox; the agent may have caused that.
    #[error("`{command}` failed in the sandbox: {line}")]
    Inside {
        command: String,
        /// The last line it wrote.
        line: String,
    },
    /// A command of gemicro took too long inside the sandbox, and was killed.
    #[error("`{command}` did not finish in the sandbox within {limit:?}")]
    InsideTimeout { command: String, limit: Duration },
}

impl RepositoryError {
    /// An error about a file; a full disk becomes [`DiskFull`](Self::DiskFull).
    pub(super) fn file(action: &'static str, path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        let path = path.into();
        if matches!(
            source.kind(),
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded
        ) {
            return Self::DiskFull {
                folder: path,
                line: source.to_string(),
            };
        }
        Self::File { action, path, source }
    }
}

impl From<ImportRefusal> for RepositoryError {
    fn from(refusal: ImportRefusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<&RepositoryError> for ErrorKind {
    fn from(error: &RepositoryError) -> Self {
        match error {
            RepositoryError::NotARepository { .. }
            | RepositoryError::AgentsFolder { .. }
            | RepositoryError::NoCheckout { .. }
            | RepositoryError::UnknownRevision { .. }
            | RepositoryError::BadSlug { .. }
            | RepositoryError::BadPath { .. }
            | RepositoryError::BadTaskFolder { .. } => Self::InvalidInput,
            RepositoryError::PartialClone { .. }
            | RepositoryError::Git { .. }
            | RepositoryError::NoCommits
            | RepositoryError::NoRemote
            | RepositoryError::NoMainBranch
            | RepositoryError::UnusablePath { .. }
            | RepositoryError::UnsafeSetting { .. }
            | RepositoryError::BadAlternate { .. } => Self::UnsupportedRepository,
            RepositoryError::OtherOwner { .. } => Self::PermissionDenied,
            RepositoryError::FolderTaken { .. }
            | RepositoryError::BranchTaken { .. }
            | RepositoryError::BranchCheckedOut { .. }
            | RepositoryError::DirtyCheckout { .. }
            | RepositoryError::CheckoutInTheWay { .. }
            | RepositoryError::BranchMoved { .. } => Self::Conflict,
            RepositoryError::BranchMissing { .. } | RepositoryError::NotATask { .. } => Self::NotFound,
            RepositoryError::BranchSwitched { .. } => Self::BranchSwitched,
            RepositoryError::Refused(_) => Self::ImportRefused,
            RepositoryError::DiskFull { .. } | RepositoryError::File { .. } => Self::StorageError,
            RepositoryError::NoGit(_) | RepositoryError::OldGit => Self::CommandNotFound,
            RepositoryError::GitAnswer { .. } => Self::Internal,
            RepositoryError::GitTimeout { .. } | RepositoryError::InsideTimeout { .. } => Self::Timeout,
            RepositoryError::Sandbox(error) => error.into(),
            RepositoryError::Remote(error) => error.into(),
            RepositoryError::Inside { .. } => Self::ImportRefused,
        }
    }
}
