//! The user's repository: opens it, checks it and answers questions about it.
//!
//! The main type is [`TrustedRepo`], the only one that starts git outside the sandbox.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use gemicro_event::text;
use serde::{Deserialize, Serialize};

use super::call::{CallPlace, GitCall, GitOutput, OutputBound, path_of};
use super::checkout::{self, UserCheckout};
use super::commit_id::CommitId;
use super::error::RepositoryError;
use super::git::Git;
use super::git_settings::GitSettings;
use super::slug::Slug;

/// References that only gemicro moves.
pub(super) const OURS: &str = "refs/gemicro/";
/// References of incoming commits while they are checked.
pub(super) const INCOMING: &str = "refs/gemicro/incoming/";

/// Something about a repository that its user should know before a task begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RepositoryNote {
    /// The checkout has uncommitted changes: they are not part of the task.
    Uncommitted,
    /// No branch is checked out; a task starts from the commit.
    Detached,
    /// There are submodules: their folders are empty in a task.
    Submodules,
    /// There are Git LFS files: in a task they are only pointers.
    Lfs,
    /// The clone is shallow: a task sees the same limited history.
    Shallow,
}

impl RepositoryNote {
    /// The note as text for the user.
    #[must_use]
    pub fn message(&self) -> &'static str {
        match self {
            Self::Uncommitted => "uncommitted changes in this checkout are not part of the task",
            Self::Detached => "no branch is checked out; the task starts from the commit at HEAD",
            Self::Submodules => "submodules stay empty in the task; their object stores are read-only",
            Self::Lfs => "files in Git LFS are pointers in the task; their object store is read-only",
            Self::Shallow => "this is a shallow clone; the task sees as much history as you do",
        }
    }
}

/// The user's repository. Code that has one may start git in it, outside the sandbox.
#[derive(Debug, Clone)]
pub struct TrustedRepo {
    pub(super) git: Git,
    top: PathBuf,
    head: CommitId,
    notes: Vec<RepositoryNote>,
    object_folders: Vec<PathBuf>,
}

impl TrustedRepo {
    /// Opens the repository of a folder: a checkout, a folder in it, or a linked worktree.
    ///
    /// # Errors
    /// When there is none, or it cannot be used: the error says what to do.
    pub fn open(settings: &GitSettings, folder: &Path) -> Result<Self, RepositoryError> {
        let git = Git::discover(settings, folder)?;
        let here = |arguments: &[&str]| git.run(GitCall::new(CallPlace::Checkout(folder), arguments));
        if here(&["rev-parse", "--is-inside-work-tree"])?.text() != "true" {
            let folder = folder.to_path_buf();
            return Err(RepositoryError::NoCheckout { folder });
        }
        let top = path_of(
            &git.ok(GitCall::new(
                CallPlace::Checkout(folder),
                &["rev-parse", "--show-toplevel"],
            ))?
            .output,
        )?;
        if let Some(setting) = partial(&git)? {
            return Err(RepositoryError::PartialClone { setting });
        }
        let head = here(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])?.text();
        let head = CommitId::parse(&head).ok_or(RepositoryError::NoCommits)?;
        let mut repository = Self {
            object_folders: object_folders(&git)?,
            git,
            top,
            head,
            notes: Vec::new(),
        };
        repository.notes = repository.find_notes()?;
        Ok(repository)
    }

    /// The top folder of the checkout that was opened.
    #[must_use]
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// The git directory that all checkouts have in common.
    #[must_use]
    pub fn common(&self) -> &Path {
        self.git.common()
    }

    /// The commit that was checked out when this was opened.
    #[must_use]
    pub fn head(&self) -> &CommitId {
        &self.head
    }

    /// Notes for the user.
    #[must_use]
    pub fn notes(&self) -> &[RepositoryNote] {
        &self.notes
    }

    /// The commit that a name refers to.
    ///
    /// # Errors
    /// When it refers to none.
    pub fn resolve(&self, name: &str) -> Result<CommitId, RepositoryError> {
        let asked = format!("{name}^{{commit}}");
        let arguments = ["rev-parse", "--verify", "--quiet", "--end-of-options", &asked];
        let answer = self.here(&arguments)?;
        CommitId::parse(&answer.text()).ok_or_else(|| RepositoryError::UnknownRevision {
            name: text::plain(name, 200),
        })
    }

    /// The tip of a task's branch; `None` if there is no such branch.
    ///
    /// # Errors
    /// When git fails, or the branch is a symbolic reference.
    pub fn task_branch(&self, slug: &Slug) -> Result<Option<CommitId>, RepositoryError> {
        self.commit_at(&slug.reference())
    }

    /// Removes the references of imports that were killed. Call it only when no import is running.
    ///
    /// # Errors
    /// When git fails.
    pub fn clean_incoming(&self) -> Result<usize, RepositoryError> {
        let names = self
            .git
            .text(&["for-each-ref", "--format=%(refname)", INCOMING])?;
        for name in names.lines() {
            self.git.text(&["update-ref", "--no-deref", "-d", name])?;
        }
        Ok(names.lines().count())
    }

    /// The user's checkouts, the main one first.
    pub(super) fn checkouts(&self) -> Result<Vec<UserCheckout>, RepositoryError> {
        let answer = self.git.ok(GitCall::new(
            CallPlace::Repository,
            &["worktree", "list", "--porcelain"],
        ))?;
        Ok(checkout::parse(&answer.output))
    }

    /// Returns an error if the user has the task's branch checked out: that checkout would suddenly look changed.
    ///
    /// # Errors
    /// [`RepositoryError::BranchCheckedOut`] if so, and failures of git.
    pub fn check_not_checked_out(&self, slug: &Slug) -> Result<(), RepositoryError> {
        let reference = slug.reference();
        let found = self
            .checkouts()?
            .into_iter()
            .find(|checkout| checkout.branch.as_ref() == Some(&reference));
        match found {
            None => Ok(()),
            Some(checkout) => Err(RepositoryError::BranchCheckedOut {
                branch: slug.branch(),
                folder: checkout.folder,
            }),
        }
    }

    /// Runs a command in the checkout that was opened, and returns its output, whatever its exit code.
    pub(super) fn here(&self, arguments: &[&str]) -> Result<GitOutput, RepositoryError> {
        self.git.run(self.call_here(arguments))
    }

    /// A command for the checkout that was opened.
    pub(super) fn call_here(&self, arguments: &[&str]) -> GitCall<'_> {
        GitCall::new(CallPlace::Checkout(&self.top), arguments)
    }

    /// The commit at a reference that is not symbolic.
    pub(super) fn commit_at(&self, reference: &str) -> Result<Option<CommitId>, RepositoryError> {
        let asked = "--format=%(refname) %(objectname) %(objecttype) %(symref)";
        let text = self.git.text(&["for-each-ref", asked, reference])?;
        // The pattern also matches all references below it.
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(reference)?.strip_prefix(' '));
        let Some(line) = line else {
            return Ok(None);
        };
        let unusable = |why: &str| RepositoryError::GitAnswer {
            command: "for-each-ref".to_owned(),
            why: format!("{reference} {why}"),
        };
        match line.trim_end().split(' ').collect::<Vec<_>>().as_slice() {
            [id, "commit"] => CommitId::parse(id)
                .map(Some)
                .ok_or_else(|| unusable("has no valid commit id")),
            [_, _] => Err(unusable("is not a commit")),
            _ => Err(unusable("is a symbolic reference")),
        }
    }

    /// All object folders: the repository's own and its alternates.
    pub(super) fn object_folders(&self) -> &[PathBuf] {
        &self.object_folders
    }

    fn find_notes(&self) -> Result<Vec<RepositoryNote>, RepositoryError> {
        let mut notes = Vec::new();
        let mut status = GitCall::new(
            CallPlace::Checkout(&self.top),
            &["status", "--porcelain", "--ignore-submodules=dirty"],
        );
        status.bound = OutputBound::Cut(1);
        if !self.git.run(status)?.output.is_empty() {
            notes.push(RepositoryNote::Uncommitted);
        }
        if self.here(&["symbolic-ref", "--quiet", "HEAD"])?.code != 0 {
            notes.push(RepositoryNote::Detached);
        }
        let attributes = self.file_at_head(".gitattributes")?;
        if self.file_at_head(".gitmodules")?.is_some() {
            notes.push(RepositoryNote::Submodules);
        }
        let asks_for_lfs = attributes.is_some_and(|text| text.contains("filter=lfs"));
        if asks_for_lfs || self.common().join("lfs").is_dir() {
            notes.push(RepositoryNote::Lfs);
        }
        if self.common().join("shallow").exists() {
            notes.push(RepositoryNote::Shallow);
        }
        Ok(notes)
    }

    fn file_at_head(&self, name: &str) -> Result<Option<String>, RepositoryError> {
        let object = format!("{}:{name}", self.head);
        let mut call = GitCall::new(CallPlace::Repository, &["cat-file", "blob", &object]);
        call.bound = OutputBound::Cut(1 << 20);
        let answer = self.git.run(call)?;
        Ok((answer.code == 0 || answer.is_cut).then(|| answer.text()))
    }
}

/// The setting that makes this a partial clone.
fn partial(git: &Git) -> Result<Option<String>, RepositoryError> {
    let pattern = r"^(remote\..*\.promisor|extensions\.partialclone)$";
    let answer = git.run(GitCall::new(
        CallPlace::Repository,
        &["config", "--get-regexp", pattern],
    ))?;
    let text = answer.text();
    let is_on = |line: &&str| !matches!(line.rsplit(' ').next(), Some("false" | "no" | "off" | "0"));
    Ok(text.lines().find(is_on).map(str::to_owned))
}

fn object_folders(git: &Git) -> Result<Vec<PathBuf>, RepositoryError> {
    let own = git.common().join("objects");
    let mut folders = vec![std::fs::canonicalize(&own).map_err(|e| RepositoryError::file("find", &own, e))?];
    let text = git.text(&["count-objects", "-v"])?;
    for line in text.lines() {
        let Some(path) = line.strip_prefix("alternate: ") else {
            continue;
        };
        if path.starts_with('"') {
            return Err(RepositoryError::UnusablePath { path: path.into() });
        }
        // git prints the path relative to the repository's objects; a missing folder contains nothing.
        if let Ok(folder) = std::fs::canonicalize(git.common().join(path)) {
            if !holds_only_objects(&folder) {
                return Err(RepositoryError::BadAlternate { path: path.into() });
            }
            folders.push(folder);
        }
    }
    Ok(folders)
}

/// Whether a folder contains only git's object files: agents can read all of it.
fn holds_only_objects(folder: &Path) -> bool {
    let is_known = |name: &OsStr| {
        let name = name.to_string_lossy();
        let is_fan_out = name.len() == 2 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_fan_out || matches!(&*name, "info" | "pack") || name.starts_with("tmp_")
    };
    let Ok(mut entries) = std::fs::read_dir(folder) else {
        return false;
    };
    entries.all(|entry| entry.is_ok_and(|entry| is_known(&entry.file_name())))
}
