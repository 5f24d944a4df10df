//! Reads the history of the user's repository: how often files changed, and messages of commits.

use std::collections::BTreeMap;
use std::path::Path;

use super::call::{CallPlace, GitCall, OutputBound};
use super::commit_id::CommitId;
use super::error::RepositoryError;
use super::slug::Slug;
use super::trusted::TrustedRepo;

/// Maximum size of the history that is read, in bytes.
const MOST_BYTES: usize = 16 << 20;

/// How often files changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChangeCounts {
    /// Number of commits examined.
    pub n_commits: u64,
    /// Number of commits that changed each file, by its path relative to the folder.
    pub by_file: BTreeMap<String, u64>,
}

impl TrustedRepo {
    /// How often the files below a folder of a checkout changed in the last commits. Merges do not count.
    ///
    /// # Errors
    /// When git fails.
    pub fn change_counts(&self, folder: &Path, most: usize) -> Result<ChangeCounts, RepositoryError> {
        let top = std::fs::canonicalize(self.top())
            .map_err(|error| RepositoryError::file("find", self.top(), error))?;
        let inner = folder
            .strip_prefix(&top)
            .map_err(|_| RepositoryError::NoCheckout {
                folder: folder.to_path_buf(),
            })?;
        let inner = inner.to_string_lossy();
        let (bound, relative) = (format!("--max-count={most}"), format!("--relative={inner}"));
        let mut asked = vec![
            "log",
            "--no-merges",
            "--no-renames",
            "--name-only",
            "--format=%x01",
            "-z",
            &bound,
        ];
        if inner.is_empty() {
            asked.extend([self.head().as_str(), "--"]);
        } else {
            asked.extend([relative.as_str(), self.head().as_str(), "--", &inner]);
        }
        let mut call = GitCall::new(CallPlace::Repository, &asked);
        call.bound = OutputBound::Cut(MOST_BYTES);
        let answer = self.git.run(call)?;
        if answer.code != 0 && !answer.is_cut {
            return Err(answer.failure());
        }
        let mut counts = ChangeCounts::default();
        // The last entry may be an incomplete name.
        let whole = answer
            .output
            .rsplitn(2, |byte| *byte == 0)
            .nth(1)
            .unwrap_or_default();
        for piece in whole.split(|byte| *byte == 0) {
            let name = piece.strip_prefix(b"\n").unwrap_or(piece);
            if name == b"\x01" {
                counts.n_commits += 1;
            } else if !name.is_empty() {
                let name = String::from_utf8_lossy(name).into_owned();
                *counts.by_file.entry(name).or_default() += 1;
            }
        }
        Ok(counts)
    }

    /// Number of commits reachable from `wanted` and not from `has`.
    ///
    /// # Errors
    /// When git fails.
    pub fn count_missing(&self, wanted: &CommitId, has: &CommitId) -> Result<u64, RepositoryError> {
        let range = format!("{has}..{wanted}");
        let text = self.git.text(&["rev-list", "--count", &range, "--"])?;
        Ok(text.trim().parse().unwrap_or(0))
    }

    /// Removes a task branch, if it is still at this commit.
    ///
    /// # Errors
    /// When it was moved, or git fails.
    pub fn remove_task_branch(&self, slug: &Slug, at: &CommitId) -> Result<(), RepositoryError> {
        let reference = slug.reference();
        let arguments = ["update-ref", "--no-deref", "-d", &reference, at.as_str()];
        self.git.text(&arguments).map(drop)
    }

    /// The whole message of a commit, trailers included.
    ///
    /// # Errors
    /// When there is no such commit.
    pub fn message(&self, commit: &CommitId) -> Result<String, RepositoryError> {
        self.git.text(&["log", "-1", "--format=%B", commit.as_str()])
    }
}
