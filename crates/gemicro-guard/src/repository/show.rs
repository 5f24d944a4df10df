//! A checkout of the task's branch for the user to look at, beside their repository. It never makes a task fail.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::call::{CallPlace, GitCall};
use super::checkout::UserCheckout;
use super::commit_id::CommitId;
use super::error::RepositoryError;
use super::slug::Slug;
use super::trusted::TrustedRepo;

/// The parent folder of these checkouts, beside the user's repository.
const FOLDER: &str = ".worktrees";

/// The outcome for the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShowOutcome {
    /// The folder is at the commit.
    At(PathBuf),
    /// The folder was not changed.
    Left {
        /// Where it is, or would be.
        folder: PathBuf,
        /// The reason, in a sentence for people.
        why: String,
    },
}

/// Updates `../.worktrees/task-<slug>` to a commit: a detached worktree of the user's repository, created if it is
/// missing, and moved only while it is clean and unmoved since gemicro last did so. If another project uses that
/// folder, its name gets the project's name as a prefix.
#[must_use]
pub fn show(repository: &TrustedRepo, slug: &Slug, commit: &CommitId) -> ShowOutcome {
    let checkouts = match repository.checkouts() {
        Ok(checkouts) => checkouts,
        Err(error) => return left_as_is(repository.top().to_path_buf(), error.to_string()),
    };
    let main = checkouts.first().map_or(repository.top(), |main| &main.folder);
    let at = |folder: &Path| {
        let mut there = checkouts.iter().filter(|checkout| checkout.folder == folder);
        there.find(|checkout| is_of(repository, &checkout.folder))
    };
    let folder = place(main, slug, |folder| at(folder).is_some());
    let brought = match at(&folder) {
        Some(checkout) => move_on(repository, checkout, commit),
        None => add(repository, &folder, commit),
    };
    match brought {
        Ok(None) => ShowOutcome::At(folder),
        Ok(Some(why)) => left_as_is(folder, why),
        Err(error) => left_as_is(folder, error.to_string()),
    }
}

/// The folder of the worktree: with its plain name, or prefixed with the project's name.
fn place(main: &Path, slug: &Slug, is_of_project: impl Fn(&Path) -> bool) -> PathBuf {
    let beside = main.parent().unwrap_or(main).join(FOLDER);
    let plain = beside.join(slug.folder_name());
    let project = main.file_name().unwrap_or_default().to_string_lossy();
    let named = beside.join(format!("{project}-{}", slug.folder_name()));
    let is_taken = |folder: &Path| std::fs::symlink_metadata(folder).is_ok() && !is_of_project(folder);
    if is_taken(&plain) && !is_taken(&named) {
        named
    } else {
        plain
    }
}

/// Whether a worktree belongs to the repository. The repository's record can outlive its worktree, and another
/// project's may be there now: only the folder itself shows which repository it belongs to.
fn is_of(repository: &TrustedRepo, folder: &Path) -> bool {
    let Ok(link) = std::fs::read(folder.join(".git")) else {
        return false;
    };
    let Some(record) = link.strip_prefix(b"gitdir: ") else {
        return false;
    };
    let record = folder.join(OsStr::from_bytes(record.trim_ascii_end()));
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    let records = real(&repository.common().join("worktrees"));
    records.is_some_and(|records| real(&record).is_some_and(|record| record.starts_with(records)))
}

impl TrustedRepo {
    /// Removes the checkout that [`show()`] made for a task, if it has no changes. Returns the reason if it stays.
    ///
    /// # Errors
    /// When git cannot list the checkouts.
    pub fn remove_shown(&self, slug: &Slug) -> Result<Option<String>, RepositoryError> {
        let checkouts = self.checkouts()?;
        let main = checkouts.first().map_or(self.top(), |main| &main.folder);
        let is_ours = |folder: &Path| {
            let mut there = checkouts.iter().filter(|checkout| checkout.folder == folder);
            there.any(|checkout| is_of(self, &checkout.folder))
        };
        let folder = place(main, slug, is_ours);
        if !is_ours(&folder) {
            return Ok(None);
        }
        let mut call = GitCall::new(CallPlace::Repository, &["worktree", "remove"]);
        call.arguments.push(folder.clone().into());
        let answer = self.git.run(call)?;
        Ok((answer.code != 0).then(|| format!("{} stays: {}", folder.display(), answer.last_line())))
    }
}

/// Whether a checkout is one of gemicro's.
pub(super) fn is_shown(folder: &Path) -> bool {
    let is_ours = |name: &OsStr| name == FOLDER;
    folder.parent().and_then(Path::file_name).is_some_and(is_ours)
}

fn left_as_is(folder: PathBuf, why: String) -> ShowOutcome {
    ShowOutcome::Left { folder, why }
}

/// Creates the worktree; the error is the reason.
fn add(
    repository: &TrustedRepo,
    folder: &Path,
    commit: &CommitId,
) -> Result<Option<String>, RepositoryError> {
    if std::fs::symlink_metadata(folder).is_ok() {
        return Ok(Some("a file or folder already exists there".to_owned()));
    }
    if let Some(parent) = folder.parent() {
        let made = std::fs::create_dir_all(parent);
        made.map_err(|source| RepositoryError::file("make", parent, source))?;
    }
    let mut call = GitCall::new(
        CallPlace::Repository,
        &["worktree", "add", "--quiet", "--force", "--detach"],
    );
    call.arguments.push(folder.into());
    call.arguments.push(commit.as_str().into());
    repository.git.ok(call).map(|_| None)
}

/// Moves the worktree; the error is the reason.
fn move_on(
    repository: &TrustedRepo,
    checkout: &UserCheckout,
    commit: &CommitId,
) -> Result<Option<String>, RepositoryError> {
    let Some(head) = checkout.head.as_ref().filter(|_| checkout.branch.is_none()) else {
        return Ok(Some("a branch is checked out there".to_owned()));
    };
    if head == commit {
        return Ok(None);
    }
    let is_ancestor = ["merge-base", "--is-ancestor", head.as_str(), commit.as_str()];
    if repository
        .git
        .run(GitCall::new(CallPlace::Repository, &is_ancestor))?
        .code
        != 0
    {
        return Ok(Some(format!(
            "it is at {head}, which is not on the task's branch"
        )));
    }
    let here = CallPlace::Checkout(&checkout.folder);
    let status = ["status", "--porcelain", "--ignore-submodules=all"];
    let status = repository.git.ok(GitCall::new(here, &status))?;
    if !status.output.is_empty() {
        return Ok(Some("it has uncommitted changes".to_owned()));
    }
    let checkout = [
        "checkout",
        "--quiet",
        "--detach",
        "--no-recurse-submodules",
        "--no-overwrite-ignore",
        commit.as_str(),
        "--",
    ];
    repository.git.ok(GitCall::new(here, &checkout)).map(|_| None)
}
