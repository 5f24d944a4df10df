//! Computes the merge that git makes on its own, and how a commit differs from that merge.
//!
//! The main type is [`AutomaticMerge`]. Nothing is checked out; the tree is written to the user's repository, without a
//! reference to it.

use std::collections::BTreeSet;

use super::call::{CallPlace, GitCall, Input};
use super::commit_id::CommitId;
use super::error::RepositoryError;
use super::path_text::path_text;
use super::trusted::TrustedRepo;

/// git's default merge settings, as they apply in the task's own repository.
const USUAL: [(&str, &str); 4] = [
    ("merge.renames", "true"),
    ("merge.directoryRenames", "conflict"),
    ("merge.renormalize", "false"),
    ("core.attributesFile", "/dev/stdin"),
];

/// The result of merging two commits without help.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AutomaticMerge {
    tree: String,
    /// The paths in conflict, including their old and new names.
    pub conflicts: BTreeSet<String>,
}

impl AutomaticMerge {
    pub(super) fn tree(&self) -> &str {
        &self.tree
    }
}

impl TrustedRepo {
    /// Merges two commits the way `git merge` of the second into the first does. Of the files at the paths in
    /// `append_only`, the lines of both sides are kept.
    ///
    /// # Errors
    /// When one of the two does not exist, git is older than 2.38, or it fails.
    pub fn automatic_merge(
        &self,
        ours: &CommitId,
        theirs: &CommitId,
        append_only: &[&str],
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
        let attributes: String = append_only
            .iter()
            .map(|path| format!("/{path} merge=union\n"))
            .collect();
        call.input = Input::Bytes(attributes.into_bytes());
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

    /// The paths without conflict that differ in a commit from the merge result: in content, mode or existence.
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

    /// The merge base of two commits.
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
