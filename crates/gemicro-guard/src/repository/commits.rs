//! Compares two commits of the user's repository: commits between them, changed paths, and the rest of the tree.

use sha2::{Digest, Sha256};

use super::call::{CallPlace, GitCall};
use super::commit_id::CommitId;
use super::error::RepositoryError;
use super::path_text::path_text;
use super::prefix::covers;
use super::report::plain;
use super::trusted::TrustedRepo;

/// Maximum length of a stored subject, trailer name or trailer value, in characters.
const MOST_CHARACTERS: usize = 1000;
/// Maximum number of trailers kept per commit.
const MOST_TRAILERS: usize = 100;

/// Summary of one commit. All of its text is safe to print, but must not be trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitAbout {
    /// Full id of the commit.
    pub id: CommitId,
    /// The first line of its message.
    pub subject: String,
    /// Names and values of its trailers, in order.
    pub trailers: Vec<(String, String)>,
    /// How many parents it has; a merge has more than one.
    pub n_parents: usize,
}

impl TrustedRepo {
    /// The commits reachable from `new` and not from `old`: the newest `most` of them, the newest last.
    ///
    /// # Errors
    /// When one of the two does not exist, or git fails.
    pub fn commits_between(
        &self,
        old: &CommitId,
        new: &CommitId,
        most: usize,
    ) -> Result<Vec<CommitAbout>, RepositoryError> {
        let (range, bound) = (format!("{old}..{new}"), format!("--max-count={most}"));
        let arguments = [
            "log",
            "-z",
            "--no-patch",
            "--no-color",
            "--no-notes",
            "--encoding=UTF-8",
            "--topo-order",
            "--reverse",
            "--format=%H%x00%P%x00%s%x00%(trailers:only=true,unfold=true)",
            &bound,
            &range,
            "--",
        ];
        let output = self
            .git
            .ok(GitCall::new(CallPlace::Repository, &arguments))?
            .output;
        let fields: Vec<&[u8]> = output.split(|byte| *byte == 0).collect();
        let unusable = || RepositoryError::GitAnswer {
            command: "log".to_owned(),
            why: "a commit has an unexpected form".to_owned(),
        };
        let commits = fields.chunks_exact(4).map(about);
        commits.map(|commit| commit.ok_or_else(unusable)).collect()
    }

    /// Whether one commit is an ancestor of another. A commit is its own ancestor.
    ///
    /// # Errors
    /// When one of the two does not exist, or git fails.
    pub fn is_ancestor(&self, ancestor: &CommitId, of: &CommitId) -> Result<bool, RepositoryError> {
        let arguments = ["merge-base", "--is-ancestor", ancestor.as_str(), of.as_str()];
        let answer = self.git.run(GitCall::new(CallPlace::Repository, &arguments))?;
        match answer.code {
            0 => Ok(true),
            1 => Ok(false),
            _ => Err(answer.failure()),
        }
    }

    /// The paths that differ between two commits; both paths of a renamed file.
    ///
    /// # Errors
    /// When one of the two does not exist, or git fails.
    pub fn changed_paths(&self, old: &CommitId, new: &CommitId) -> Result<Vec<String>, RepositoryError> {
        self.differing_paths(old.as_str(), new.as_str())
    }

    /// The same as [`changed_paths`](Self::changed_paths), for trees or commits.
    pub(super) fn differing_paths(&self, old: &str, new: &str) -> Result<Vec<String>, RepositoryError> {
        let arguments = [
            "diff-tree",
            "-r",
            "-z",
            "--name-only",
            "--no-renames",
            old,
            new,
            "--",
        ];
        let output = self
            .git
            .ok(GitCall::new(CallPlace::Repository, &arguments))?
            .output;
        let paths = output.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        Ok(paths.map(path_text).collect())
    }

    /// A digest of a commit's tree without the paths under some prefixes. It is equal if all other names, modes and
    /// contents are equal. `docs/` covers everything in the folder, `docs` also a file of that name.
    ///
    /// # Errors
    /// When there is no such commit, or git fails.
    pub fn tree_without(&self, commit: &CommitId, prefixes: &[&str]) -> Result<String, RepositoryError> {
        let arguments = ["ls-tree", "-r", "-z", "--full-tree", commit.as_str()];
        let output = self
            .git
            .ok(GitCall::new(CallPlace::Repository, &arguments))?
            .output;
        let mut digest = Sha256::new();
        for entry in output.split(|byte| *byte == 0) {
            let path = entry.iter().position(|byte| *byte == b'\t');
            let path = path.map_or(&[][..], |at| &entry[at + 1..]);
            if !prefixes.iter().any(|prefix| covers(prefix, path)) {
                digest.update(entry);
                digest.update([0]);
            }
        }
        let bytes = digest.finalize();
        Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

fn about(fields: &[&[u8]]) -> Option<CommitAbout> {
    let [id, parents, subject, trailers] = fields else {
        return None;
    };
    let id = String::from_utf8_lossy(id);
    let trailers = String::from_utf8_lossy(trailers);
    let parents = String::from_utf8_lossy(parents);
    let trailers = trailers.split('\n').filter_map(|line| line.split_once(": "));
    Some(CommitAbout {
        id: CommitId::parse(&id)?,
        subject: short(subject),
        trailers: trailers
            .take(MOST_TRAILERS)
            .map(|(name, value)| (short(name.as_bytes()), short(value.as_bytes())))
            .collect(),
        n_parents: parents.split_whitespace().count(),
    })
}

fn short(text: &[u8]) -> String {
    plain(text).trim().chars().take(MOST_CHARACTERS).collect()
}
