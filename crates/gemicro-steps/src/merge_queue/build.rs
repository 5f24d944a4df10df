//! Builds the chain of merge commits, without a checkout.

use gemicro_agents::step_tools::{Tools, commit, run_blocking};
use gemicro_agents::{look_at, to_failure};
use gemicro_event::{ErrorKind, Failure};
use gemicro_guard::repository::{
    AutomaticMerge, CommitId, CommitMessage, MergeCommit, RepositoryError, TrustedRepo,
};
use gemicro_merge::{BranchConflict, BuildInput, BuildResult, ChainCommit, QueuedBranch};
use gemicro_pipeline::steps::FeedbackList;

pub(crate) async fn build(tools: &Tools, input: BuildInput) -> Result<BuildResult, Failure> {
    let (setup, state) = (tools.setup.clone(), tools.commons.state().to_owned());
    run_blocking(move || build_chain(&look_at(&setup, &state, &input.directory)?, &input)).await
}

/// Merges the branches in order, each on top of the ones before it. Only writes commits; no branch moves. Blocks.
///
/// # Errors
/// `not_found` if there is no target branch, and errors of git.
pub fn build_chain(repository: &TrustedRepo, input: &BuildInput) -> Result<BuildResult, Failure> {
    let base = repository.local_branch(&input.into);
    let base = base.map_err(|error| to_failure(&error))?.ok_or_else(|| {
        let message = format!(
            "there is no local branch {}: name the target with --into",
            input.into
        );
        Failure::new(ErrorKind::NotFound, message)
    })?;
    let mut chain = MergeChain {
        repository,
        input,
        tip: base.clone(),
        merged: Vec::new(),
        result: BuildResult {
            base: base.to_string(),
            ..BuildResult::default()
        },
    };
    for branch in &input.branches {
        let theirs = commit(&branch.commit)?;
        chain
            .add(branch, theirs, &base)
            .map_err(|error| to_failure(&error))?;
    }
    Ok(chain.result)
}

struct MergeChain<'a> {
    repository: &'a TrustedRepo,
    input: &'a BuildInput,
    tip: CommitId,
    /// The branches of the chain so far, with their own tips.
    merged: Vec<(String, CommitId)>,
    result: BuildResult,
}

impl MergeChain<'_> {
    fn add(&mut self, it: &QueuedBranch, theirs: CommitId, base: &CommitId) -> Result<(), RepositoryError> {
        let repository = self.repository;
        if repository.is_ancestor(&theirs, base)? {
            self.result.already.push(it.branch.clone());
            return Ok(());
        }
        let merge = merge(repository, &self.tip, &theirs)?;
        if !merge.conflicts.is_empty() {
            let with = self.conflicting_branch(&theirs, base)?;
            self.result.conflicts.push(BranchConflict {
                branch: it.branch.clone(),
                with,
                files: merge.conflicts.into_iter().collect(),
            });
            return Ok(());
        }
        let mut trailers = vec![("Gemicro-Merge".to_owned(), self.input.run.to_string())];
        trailers.extend(
            it.run
                .as_ref()
                .map(|run| ("Gemicro-Run".to_owned(), run.to_string())),
        );
        let message = CommitMessage {
            text: format!("Merge {} into {}", it.branch, self.input.into),
            trailers,
        };
        self.tip = repository.commit_merge(MergeCommit {
            ours: &self.tip,
            theirs: &theirs,
            merge: &merge,
            message: &message,
            seconds: self.input.seconds,
        })?;
        self.result.chain.push(ChainCommit {
            branch: it.branch.clone(),
            commit: self.tip.to_string(),
        });
        self.merged.push((it.branch.clone(), theirs));
        Ok(())
    }

    /// The branch that a branch conflicts with: the target, one before it, or only all of them together.
    fn conflicting_branch(&self, theirs: &CommitId, base: &CommitId) -> Result<String, RepositoryError> {
        let conflicts = |ours: &CommitId| -> Result<bool, RepositoryError> {
            Ok(!merge(self.repository, ours, theirs)?.conflicts.is_empty())
        };
        if conflicts(base)? {
            return Ok(self.input.into.clone());
        }
        for (name, tip) in &self.merged {
            if conflicts(tip)? {
                return Ok(name.clone());
            }
        }
        Ok("the branches before it".to_owned())
    }
}

/// Merges two commits. Every pipeline appends to the lists of feedback, so these never conflict.
fn merge(
    repository: &TrustedRepo,
    ours: &CommitId,
    theirs: &CommitId,
) -> Result<AutomaticMerge, RepositoryError> {
    repository.automatic_merge(ours, theirs, &FeedbackList::ALL.map(FeedbackList::path))
}
