//! What git makes of a merge when nobody helps, and how a merge that somebody made departs from it.
//!
//! The main type is [`AutomaticMerge`]. Nothing is checked out; the tree is made in the user's repository, where nothing
//! refers to it.

use std::collections::BTreeSet;

use super::call::{CallPlace, GitCall};
use super::commit_id::CommitId;
use super::error::RepositoryError;
use super::path_text::path_text;
use super::trusted::TrustedRepo;

/// As git merges where nobody set anything: so it was done in the task's own repository.
const USUAL: [(&str, &str); 4] = [
    ("merge.renames", "true"),
    ("merge.directoryRenames", "conflict"),
    ("merge.renormalize", "false"),
    ("core.attributesFile", "/dev/null"),
];

/// The merge of two commits by git alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AutomaticMerge {
    /// The tree that it leaves.
    tree: String,
    /// The paths in conflict, with every name that a path in conflict had or has.
    pub conflicts: BTreeSet<String>,
}

impl TrustedRepo {
    /// Merges two commits, as `git merge` of the second into the first begins.
    ///
    /// # Errors
    /// When one of the two does not exist, git is older than 2.38, or it fails.
    pub fn automatic_merge(
        &self,
        ours: &CommitId,
        theirs: &CommitId,
    ) -> Result<AutomaticMerge, RepositoryError> {
        let arguments = [
            "merge-tree",
            "--write-tree",
            "-z",
            "--name-only",
            "--no-messages",
            ours.as_str(),
            theirs.as_str(),
        ];
        let mut call = GitCall::new(CallPlace::Repository, &arguments);
        let usual = USUAL.map(|(name, value)| (name.to_owned(), value.to_owned()));
        call.settings.extend(usual);
        let answer = self.git.run(call)?;
        if !matches!(answer.code, 0 | 1) {
            return Err(answer.failure());
        }
        let mut fields = answer.output.split(|byte| *byte == 0);
        let tree = String::from_utf8_lossy(fields.next().unwrap_or_default()).into_owned();
        let conflicts = fields.filter(|path| !path.is_empty());
        Ok(AutomaticMerge {
            tree,
            conflicts: conflicts.map(path_text).collect(),
        })
    }

    /// The paths without conflict that are not in a commit as the merge left them: content, mode, or at all.
    ///
    /// # Errors
    /// When there is no such commit, or git fails.
    pub fn departed_paths(
        &self,
        merge: &AutomaticMerge,
        commit: &CommitId,
    ) -> Result<BTreeSet<String>, RepositoryError> {
        let paths = self.differing_paths(&merge.tree, commit.as_str())?.into_iter();
        Ok(paths.filter(|path| !merge.conflicts.contains(path)).collect())
    }

    /// The commit from which two histories go apart.
    ///
    /// # Errors
    /// When there is none, or git fails.
    pub fn merge_base(&self, one: &CommitId, other: &CommitId) -> Result<CommitId, RepositoryError> {
        let text = self.git.text(&["merge-base", one.as_str(), other.as_str()])?;
        CommitId::parse(&text).ok_or(RepositoryError::GitAnswer {
            command: "merge-base".to_owned(),
            why: format!("unexpected `{text}`"),
        })
    }
}
