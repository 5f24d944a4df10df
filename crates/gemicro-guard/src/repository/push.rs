//! Pushes one commit to one branch at a remote: never forced, and nothing else.

use super::commit_id::CommitId;
use super::error::RepositoryError;
use super::remote::GitRemote;
use super::remote_error::RemoteError;
use super::slug::Slug;
use super::trusted::TrustedRepo;

/// The outcome of a push.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PushOutcome {
    /// The branch at the remote was created or advanced.
    Done,
    /// The remote already had the commit.
    UpToDate,
}

impl TrustedRepo {
    /// Pushes a commit to `task/<slug>` at a remote. Refused if the remote branch has other commits, so none are lost.
    ///
    /// # Errors
    /// [`RemoteError`] when the remote is unknown, cannot be reached or rejects the push.
    pub fn push(&self, remote: &str, slug: &Slug, commit: &CommitId) -> Result<PushOutcome, RepositoryError> {
        self.push_branch(&self.remote(remote)?, &slug.branch(), commit)
    }

    /// Pushes a commit to a branch at `origin`, or at the only remote, and returns the name of the remote. Refused if
    /// the remote branch has other commits.
    ///
    /// # Errors
    /// As for [`push`](Self::push); also when there is no remote.
    pub fn push_to_usual(&self, branch: &str, commit: &CommitId) -> Result<String, RepositoryError> {
        let remote = self.meant_remote(None)?.ok_or(RepositoryError::NoRemote)?;
        self.push_branch(&remote, branch, commit)?;
        Ok(remote.name)
    }

    fn push_branch(
        &self,
        remote: &GitRemote,
        branch: &str,
        commit: &CommitId,
    ) -> Result<PushOutcome, RepositoryError> {
        let reference = format!("refs/heads/{branch}");
        let mapping = format!("{commit}:{reference}");
        let arguments = [
            "push",
            "--porcelain",
            "--no-progress",
            "--no-verify",
            "--no-follow-tags",
            "--no-signed",
            "--no-force",
            "--no-prune",
            "--no-set-upstream",
            "--recurse-submodules=no",
            "--end-of-options",
            &remote.name,
            &mapping,
        ];
        let answer = self.speak(remote, &arguments)?;
        let text = answer.text();
        let report = text.lines().find_map(|line| PushReport::read(line, &reference));
        match (answer.code, report) {
            (0, Some(PushReport { flag: "=", .. })) => Ok(PushOutcome::UpToDate),
            (0, Some(_)) => Ok(PushOutcome::Done),
            (0, None) => Err(RepositoryError::GitAnswer {
                command: "push".to_owned(),
                why: "it does not report whether the branch was pushed".to_owned(),
            }),
            (_, Some(report)) => {
                let said = remote_lines(&String::from_utf8_lossy(&answer.words));
                Err(report.refusal(remote, branch, &said).into())
            }
            (_, None) => Err(remote.failure(&answer).into()),
        }
    }
}

/// git's porcelain line about the branch: a flag, the mapping, and text.
struct PushReport<'a> {
    flag: &'a str,
    words: &'a str,
}

impl<'a> PushReport<'a> {
    fn read(line: &'a str, reference: &str) -> Option<Self> {
        let mut fields = line.splitn(3, '\t');
        let (flag, mapping, words) = (fields.next()?, fields.next()?, fields.next()?);
        let (_, to) = mapping.rsplit_once(':')?;
        (to == reference).then_some(Self { flag, words })
    }

    fn refusal(&self, remote: &GitRemote, branch: &str, said: &str) -> RemoteError {
        let is_behind = ["(non-fast-forward)", "(fetch first)", "(needs force)"];
        let line = remote.redact_git_text(&format!("{}{said}", self.words));
        let (remote, branch) = (remote.name.clone(), branch.to_owned());
        match is_behind.iter().any(|words| self.words.contains(words)) {
            true => RemoteError::NotFastForward { remote, branch, line },
            false => RemoteError::PushRefused { remote, branch, line },
        }
    }
}

/// The remote's own messages, in one line.
fn remote_lines(words: &str) -> String {
    let lines = words.lines().filter_map(|line| line.strip_prefix("remote:"));
    let lines = lines.map(str::trim).filter(|line| !line.is_empty());
    lines.map(|line| format!("; {line}")).collect()
}
