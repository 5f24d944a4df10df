//! Why a repository cannot be used, a task not begun, or its work not taken over.

use std::path::PathBuf;
use std::time::Duration;

use gemicro_event::ErrorKind;

use super::commit_id::CommitId;
use super::refusal::ImportRefusal;
use super::remote_error::RemoteError;
use crate::sandbox::SandboxError;

/// What went wrong with a repository. The user's repository is as it was.
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
    /// A folder that agents can write: git is not started there.
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
    /// Objects are missing, and fetching them is not possible in a sandbox.
    #[error(
        "this is a partial clone (`{setting}`), which lacks some objects; use a full clone: `git clone` without \
         --filter"
    )]
    PartialClone {
        /// The setting that says so.
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
    /// There is nothing to start from.
    #[error("the repository has no commit yet; commit something first")]
    NoCommits,
    /// A path of the repository that git cannot be told in its files.
    #[error("{path} has a line break in its name, which git's own files cannot contain; rename it")]
    UnusablePath { path: PathBuf },
    /// A setting with which git could start a program that gemicro cannot switch off.
    #[error(
        "the repository's own settings have {setting}, which can start programs; remove it (`git config --local --edit`)"
    )]
    UnsafeSetting { setting: String },
    /// Objects are looked up in a folder that is no store of objects.
    #[error("objects/info/alternates names {path}, which is not a folder of git objects; remove that line")]
    BadAlternate { path: PathBuf },
    /// A name that stands for no commit.
    #[error("`{name}` is not a commit of this repository")]
    UnknownRevision {
        /// The name as given.
        name: String,
    },
    /// A name that cannot be a branch of ours.
    #[error("`{slug}` cannot be the name of a task: {why}")]
    BadSlug {
        /// The name as given.
        slug: String,
        why: &'static str,
    },
    /// A task folder whose name is not an id, or which lies where an agent must not see anything.
    #[error("{folder} cannot be a task's folder: {why}")]
    BadTaskFolder { folder: PathBuf, why: &'static str },
    /// The folder of a new task exists.
    #[error("{folder} already exists; use another id, or reopen the task")]
    FolderTaken { folder: PathBuf },
    /// The branch of a new task exists, or another branch is in its way.
    #[error("branch {branch} cannot be created ({line}); choose another name, or continue on it")]
    BranchTaken {
        branch: String,
        /// The last line that git wrote.
        line: String,
    },
    /// A branch to go on with is not there.
    #[error("there is no branch {branch} to continue on")]
    BranchMissing { branch: String },
    /// The user works on the task's branch: moving it would make that checkout look changed.
    #[error(
        "branch {branch} is checked out in {folder}; switch away from it first: git -C {folder} switch --detach"
    )]
    BranchCheckedOut {
        branch: String,
        /// The worktree that has the branch checked out.
        folder: PathBuf,
    },
    /// The branch is not where the task left it. Nothing was imported.
    #[error(
        "branch {branch} was moved by another process, from {expected} to {found}; rebuild the task from it"
    )]
    BranchMoved {
        branch: String,
        /// Where the task left it.
        expected: CommitId,
        found: String,
    },
    /// The agent left its branch. Nothing was imported.
    #[error("the agent left branch {expected}: its HEAD is {found}; rebuild the task")]
    BranchSwitched {
        expected: String,
        /// What stands there instead.
        found: String,
    },
    /// What the agent committed was not taken over.
    #[error("the agent's commits were refused: {0}")]
    Refused(ImportRefusal),
    /// A name or path that was given to gemicro cannot be used in a task.
    #[error("`{path}` cannot be used in a task: {why}")]
    BadPath {
        /// The name or path, safe to print.
        path: String,
        why: &'static str,
    },
    /// Neither a remote nor the repository itself says which branch is the main one.
    #[error(
        "cannot determine the main branch; check one out, or set it: git config init.defaultBranch <branch>"
    )]
    NoMainBranch,
    /// Something about a remote.
    #[error(transparent)]
    Remote(#[from] RemoteError),
    /// There is no room left.
    #[error("the disk is full ({line}); make room below {folder} and try again")]
    DiskFull {
        /// Where it was written to.
        folder: PathBuf,
        line: String,
    },
    /// git cannot be started.
    #[error("git cannot be started; is it installed and in PATH?")]
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
    /// git said more, or something else, than can be used.
    #[error("`git {command}` gave an unusable answer: {why}")]
    GitAnswer { command: String, why: String },
    /// A file or folder of a task.
    #[error("cannot {action} {path}")]
    File {
        /// The verb for the message, such as `create`.
        action: &'static str,
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A folder that is no task's, or was made by another version.
    #[error("{folder} is not a task's folder: {why}")]
    NotATask { folder: PathBuf, why: String },
    /// The sandbox cannot be put up.
    #[error("the sandbox cannot be set up")]
    Sandbox(#[from] SandboxError),
    /// A command of ours failed inside the sandbox; the agent may have seen to that.
    #[error("`{command}` failed in the sandbox: {line}")]
    Inside {
        command: String,
        /// The last line it wrote.
        line: String,
    },
    /// A command of ours did not end inside the sandbox, and was ended.
    #[error("`{command}` did not finish in the sandbox within {limit:?}")]
    InsideTimeout { command: String, limit: Duration },
}

impl RepositoryError {
    /// A file that failed, with a full disk told apart.
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
            | RepositoryError::NoMainBranch
            | RepositoryError::UnusablePath { .. }
            | RepositoryError::UnsafeSetting { .. }
            | RepositoryError::BadAlternate { .. } => Self::UnsupportedRepository,
            RepositoryError::OtherOwner { .. } => Self::PermissionDenied,
            RepositoryError::FolderTaken { .. }
            | RepositoryError::BranchTaken { .. }
            | RepositoryError::BranchCheckedOut { .. }
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
