//! The branch that finished work is merged into: merge commits without a checkout, and the move of the branch with the
//! user's checkout of it.
//!
//! The main type is [`BranchMove`]. The branch moves only from the commit that the caller saw, so a commit made
//! meanwhile is never lost.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::automatic_merge::AutomaticMerge;
use super::call::{CallPlace, GitCall, GitOutput, Input};
use super::commit_id::CommitId;
use super::create::identity;
use super::error::RepositoryError;
use super::inside_git::CommitMessage;
use super::main_branch::branch_of;
use super::slug::Slug;
use super::trusted::{OURS, TrustedRepo};

/// How often and at what interval to try again while another git holds a lock.
const TRIES: usize = 40;
const PAUSE: Duration = Duration::from_millis(50);

/// A merge to be written as a commit.
#[derive(Debug, Clone, Copy)]
pub struct MergeCommit<'a> {
    /// The first parent.
    pub ours: &'a CommitId,
    /// The second parent.
    pub theirs: &'a CommitId,
    /// The merged tree, which has no conflicts.
    pub merge: &'a AutomaticMerge,
    /// The message of the commit.
    pub message: &'a CommitMessage,
    /// Author and committer date, in seconds since 1970. The same input gives the same commit.
    pub seconds: u64,
}

/// The outcome of moving a branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BranchMove {
    /// The branch is at the new commit.
    Done,
    /// The branch was not at the expected commit, and was left there.
    Elsewhere,
}

impl TrustedRepo {
    /// The tip of a local branch; `None` if there is no such branch.
    ///
    /// # Errors
    /// When git fails, or the branch is a symbolic reference.
    pub fn local_branch(&self, name: &str) -> Result<Option<CommitId>, RepositoryError> {
        match branch_of(&format!("refs/heads/{name}")) {
            Some(name) => self.commit_at(&format!("refs/heads/{name}")),
            None => Ok(None),
        }
    }

    /// Writes a merge commit, without a reference to it.
    ///
    /// # Errors
    /// When git fails.
    pub fn commit_merge(&self, commit: MergeCommit<'_>) -> Result<CommitId, RepositoryError> {
        let (name, email) = identity(self)?;
        let arguments = [
            "commit-tree",
            "-p",
            commit.ours.as_str(),
            "-p",
            commit.theirs.as_str(),
            commit.merge.tree(),
        ];
        let mut call = GitCall::new(CallPlace::Repository, &arguments);
        let date = format!("@{} +0000", commit.seconds);
        call.variables = vec![
            ("GIT_AUTHOR_NAME", name.clone().into()),
            ("GIT_AUTHOR_EMAIL", email.clone().into()),
            ("GIT_AUTHOR_DATE", date.clone().into()),
            ("GIT_COMMITTER_NAME", name.into()),
            ("GIT_COMMITTER_EMAIL", email.into()),
            ("GIT_COMMITTER_DATE", date.into()),
        ];
        call.input = Input::Bytes(format!("{}\n", commit.message.whole()).into_bytes());
        let text = self.git.ok(call)?.text();
        CommitId::parse(&text).ok_or_else(|| RepositoryError::GitAnswer {
            command: "commit-tree".to_owned(),
            why: format!("unexpected `{text}`"),
        })
    }

    /// Moves a local branch from one commit to another.
    ///
    /// # Errors
    /// When git fails for another reason than that the branch is not at `old`.
    pub fn move_branch(
        &self,
        name: &str,
        old: &CommitId,
        new: &CommitId,
    ) -> Result<BranchMove, RepositoryError> {
        let reference = format!("refs/heads/{name}");
        let arguments = [
            "update-ref",
            "--no-deref",
            "-m",
            "gemicro: merge queue",
            &reference,
            new.as_str(),
            old.as_str(),
        ];
        let answer = self.run_unlocked(CallPlace::Repository, &arguments)?;
        if answer.code == 0 {
            return Ok(BranchMove::Done);
        }
        match self.local_branch(name)?.as_ref() == Some(old) {
            true => Err(answer.failure()),
            false => Ok(BranchMove::Elsewhere),
        }
    }

    /// Whether the main branch has a commit: the local one, or a remote's as last fetched.
    ///
    /// # Errors
    /// When git fails, or there is no main branch.
    pub fn is_in_main(&self, commit: &CommitId) -> Result<bool, RepositoryError> {
        let main = self.local_main_branch()?.name;
        let contains = format!("--contains={commit}");
        let (local, remote) = (format!("refs/heads/{main}"), format!("refs/remotes/*/{main}"));
        let fetched = format!("{OURS}main");
        let text = self.git.text(&[
            "for-each-ref",
            &contains,
            "--format=%(refname)",
            &local,
            &remote,
            &fetched,
        ])?;
        Ok(!text.is_empty())
    }

    /// Puts a task branch of gemicro at a commit, wherever it is now.
    ///
    /// # Errors
    /// When git fails.
    pub fn place_task_branch(&self, slug: &Slug, at: &CommitId) -> Result<(), RepositoryError> {
        let reference = slug.reference();
        let arguments = ["update-ref", "--no-deref", &reference, at.as_str()];
        self.git.text(&arguments).map(drop)
    }

    /// The user's checkout of a local branch, if there is one.
    ///
    /// # Errors
    /// When git fails.
    pub fn checkout_of(&self, name: &str) -> Result<Option<PathBuf>, RepositoryError> {
        let reference = format!("refs/heads/{name}");
        let mut checkouts = self.checkouts()?.into_iter();
        let found = checkouts.find(|checkout| checkout.branch.as_ref() == Some(&reference));
        Ok(found.map(|checkout| checkout.folder))
    }

    /// Returns an error if a checkout has uncommitted changes of files that git tracks.
    ///
    /// # Errors
    /// [`RepositoryError::DirtyCheckout`] if so, and failures of git.
    pub fn check_clean(&self, folder: &Path) -> Result<(), RepositoryError> {
        let status = [
            "status",
            "--porcelain",
            "--untracked-files=no",
            "--ignore-submodules=dirty",
        ];
        let status = self.git.ok(GitCall::new(CallPlace::Checkout(folder), &status))?;
        match status.output.is_empty() {
            true => Ok(()),
            false => Err(RepositoryError::DirtyCheckout {
                folder: folder.to_owned(),
            }),
        }
    }

    /// Returns an error if a checkout cannot be updated from one commit to another, without changing anything.
    ///
    /// # Errors
    /// [`RepositoryError::CheckoutInTheWay`] with git's reason, such as an untracked file at the place of a new one.
    pub fn check_update(&self, folder: &Path, old: &CommitId, new: &CommitId) -> Result<(), RepositoryError> {
        self.read_tree(
            folder,
            &["read-tree", "-n", "-m", "-u", old.as_str(), new.as_str()],
        )
    }

    /// Updates files and index of a checkout from one commit to another; files that are at `new` stay.
    ///
    /// # Errors
    /// [`RepositoryError::CheckoutInTheWay`] if changes of the user would be overwritten.
    pub fn update_checkout(
        &self,
        folder: &Path,
        old: &CommitId,
        new: &CommitId,
    ) -> Result<(), RepositoryError> {
        self.read_tree(folder, &["read-tree", "-m", "-u", old.as_str(), new.as_str()])
    }

    fn read_tree(&self, folder: &Path, arguments: &[&str]) -> Result<(), RepositoryError> {
        let here = CallPlace::Checkout(folder);
        // Without it, a file that was only touched would count as changed.
        self.run_unlocked(here, &["update-index", "-q", "--refresh"])?;
        let answer = self.run_unlocked(here, arguments)?;
        match answer.code {
            0 => Ok(()),
            _ => Err(RepositoryError::CheckoutInTheWay {
                folder: folder.to_owned(),
                line: answer.last_line(),
            }),
        }
    }
    /// Runs a command again while another git holds a lock: one that outlived a killed gemicro ends in a moment.
    fn run_unlocked(&self, at: CallPlace<'_>, arguments: &[&str]) -> Result<GitOutput, RepositoryError> {
        let mut answer = self.git.run(GitCall::new(at, arguments))?;
        for _ in 0..TRIES {
            if answer.code == 0 || !answer.says(".lock'") {
                break;
            }
            std::thread::sleep(PAUSE);
            answer = self.git.run(GitCall::new(at, arguments))?;
        }
        Ok(answer)
    }
}
