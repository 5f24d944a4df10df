//! The main branch, which tasks start from and are updated to.
//!
//! The main type is [`MainBranch`]. A remote's main branch is fetched into a reference of gemicro: the user's branches,
//! remote-tracking references, tags and `FETCH_HEAD` do not change.

use super::call::GitOutput;
use super::commit_id::CommitId;
use super::error::RepositoryError;
use super::remote::GitRemote;
use super::remote_error::RemoteError;
use super::trusted::{OURS, TrustedRepo};

/// The usual names, the newer first.
const USUAL: [&str; 2] = ["main", "master"];

/// Maximum number of retries of a fetch while another process locks the reference.
const TRIES: usize = 4;

/// Where a main branch was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MainBranchFrom {
    /// In the repository itself.
    Local,
    /// At the remote with this name.
    Remote(String),
}

/// The main branch of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MainBranch {
    /// Its name, for example `main`.
    pub name: String,
    /// The tip of the branch, which is in the user's repository.
    pub commit: CommitId,
    /// Where it was found.
    pub from: MainBranchFrom,
}

impl TrustedRepo {
    /// The main branch: the default branch of a remote, fetched now. Without a name the remote is `origin`, or the only
    /// one; without any remote the branch is the local one.
    ///
    /// # Errors
    /// [`RemoteError`] when the remote is unknown, cannot be reached or has no default branch;
    /// [`RepositoryError::NoMainBranch`] when no local branch can be identified.
    pub fn main_branch(&self, remote: Option<&str>) -> Result<MainBranch, RepositoryError> {
        match self.meant_remote(remote)? {
            Some(remote) => self.fetch_main(&remote),
            None => self.local_main_branch(),
        }
    }

    /// The name of the main branch and its source, as [`main_branch`](Self::main_branch) finds them, without fetching.
    ///
    /// # Errors
    /// As for [`main_branch`](Self::main_branch).
    pub fn main_branch_name(
        &self,
        remote: Option<&str>,
    ) -> Result<(String, MainBranchFrom), RepositoryError> {
        match self.meant_remote(remote)? {
            Some(remote) => {
                let name = self.default_branch(&remote)?;
                Ok((name, MainBranchFrom::Remote(remote.name)))
            }
            None => {
                let main = self.local_main_branch()?;
                Ok((main.name, main.from))
            }
        }
    }

    /// The main branch of the repository itself: the one named by `init.defaultBranch`, `main`, `master`, or the branch
    /// that is checked out.
    ///
    /// # Errors
    /// [`RepositoryError::NoMainBranch`] when none of these exists.
    pub fn local_main_branch(&self) -> Result<MainBranch, RepositoryError> {
        let set = self.here(&["config", "--get", "init.defaultBranch"])?.text();
        let current = self.here(&["symbolic-ref", "--quiet", "--short", "HEAD"])?.text();
        let names = [set.as_str()].into_iter().chain(USUAL);
        for name in names.chain([current.as_str()]) {
            let Some(name) = branch_of(&format!("refs/heads/{name}")) else {
                continue;
            };
            if let Ok(commit) = self.resolve(&format!("refs/heads/{name}")) {
                return Ok(MainBranch {
                    name,
                    commit,
                    from: MainBranchFrom::Local,
                });
            }
        }
        Err(RepositoryError::NoMainBranch)
    }

    pub(super) fn meant_remote(&self, named: Option<&str>) -> Result<Option<GitRemote>, RepositoryError> {
        let name = match named {
            Some(name) => Some(name.to_owned()),
            None => self.usual_remote()?,
        };
        name.map(|name| self.remote(&name)).transpose()
    }

    fn usual_remote(&self) -> Result<Option<String>, RepositoryError> {
        let mut names: Vec<String> = self.remotes()?.into_iter().map(|remote| remote.name).collect();
        if names.iter().any(|name| name == "origin") {
            return Ok(Some("origin".to_owned()));
        }
        match names.len() {
            0 | 1 => Ok(names.pop()),
            _ => Err(RemoteError::Several { remotes: names }.into()),
        }
    }

    fn fetch_main(&self, remote: &GitRemote) -> Result<MainBranch, RepositoryError> {
        let name = self.default_branch(remote)?;
        let kept = format!("{OURS}main/{}", remote.name);
        let mapping = format!("+refs/heads/{name}:{kept}");
        let arguments = [
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-prune",
            "--no-recurse-submodules",
            "--no-write-fetch-head",
            "--no-auto-maintenance",
            "--refmap=",
            "--end-of-options",
            &remote.name,
            &mapping,
        ];
        // Another run may be fetching at the same moment.
        let is_held = |answer: &GitOutput| answer.says("cannot lock ref");
        let mut answer = self.speak(remote, &arguments)?;
        for _ in 0..TRIES {
            if answer.code == 0 || !is_held(&answer) {
                break;
            }
            answer = self.speak(remote, &arguments)?;
        }
        if answer.code != 0 && is_held(&answer) {
            return Err(answer.failure());
        }
        if answer.code != 0 {
            return Err(remote.failure(&answer).into());
        }
        let commit = self.commit_at(&kept)?;
        Ok(MainBranch {
            name,
            commit: commit.ok_or_else(|| remote.failure(&answer))?,
            from: MainBranchFrom::Remote(remote.name.clone()),
        })
    }

    /// The name of the remote's default branch: the branch that its HEAD points to, or one with a usual name.
    fn default_branch(&self, remote: &GitRemote) -> Result<String, RepositoryError> {
        let usual = USUAL.map(|name| format!("refs/heads/{name}"));
        let mut arguments = vec![
            "ls-remote",
            "--quiet",
            "--symref",
            "--end-of-options",
            &remote.name,
            "HEAD",
        ];
        arguments.extend(usual.iter().map(String::as_str));
        let answer = self.speak(remote, &arguments)?;
        if answer.code != 0 {
            return Err(remote.failure(&answer).into());
        }
        let text = answer.text();
        let lines: Vec<(&str, &str)> = text.lines().filter_map(|line| line.split_once('\t')).collect();
        let led_to = lines
            .iter()
            .filter(|(_, name)| *name == "HEAD")
            .find_map(|(target, _)| branch_of(target.strip_prefix("ref: ")?));
        let found = led_to.or_else(|| {
            let is_there = |name: &&String| lines.iter().any(|(_, there)| there == name);
            usual.iter().find(is_there).and_then(|name| branch_of(name))
        });
        found.ok_or_else(|| {
            let remote = remote.name.clone();
            RemoteError::NoDefaultBranch { remote }.into()
        })
    }
}

/// The branch name in a full reference, if git always takes that name literally: a remote may send anything.
pub(super) fn branch_of(reference: &str) -> Option<String> {
    let name = reference.strip_prefix("refs/heads/")?;
    let is_bad = |c: char| c.is_control() || c.is_whitespace() || "~^:?*[\\".contains(c);
    let is_bad_part = |part: &str| {
        part.is_empty() || part.starts_with(['.', '-']) || part.ends_with('.') || part.ends_with(".lock")
    };
    let is_plain = !name.contains(is_bad)
        && !name.contains("..")
        && !name.contains("@{")
        && name.len() <= 250
        && !name.split('/').any(is_bad_part);
    is_plain.then(|| name.to_owned())
}
