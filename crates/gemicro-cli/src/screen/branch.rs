//! Describes what happened to a branch that an agent worked on.

use gemicro_core::ask::BranchOutcome;

use super::{numbers, text};

/// How far the branch was moved, in one line.
pub(crate) fn move_text(branch: &BranchOutcome) -> String {
    let short = |commit: &str| commit.chars().take(9).collect::<String>();
    let count = |n: u64, noun| numbers::count(usize::try_from(n).unwrap_or(usize::MAX), noun);
    if branch.old == branch.new {
        return format!("{} is unchanged, at {}", branch.name, short(&branch.old));
    }
    format!(
        "{}: {} ({}..{}), {} changed, +{} -{}",
        branch.name,
        count(branch.n_commits, "commit"),
        short(&branch.old),
        short(&branch.new),
        count(branch.n_files, "file"),
        branch.insertions,
        branch.deletions
    )
}

/// Where to see it, findings to look at, and other remarks.
pub(crate) fn about(branch: &BranchOutcome) -> Vec<String> {
    let worktree = branch.worktree.iter().map(|folder| format!("see it in {folder}"));
    let reports = branch.reports.iter().map(|report| format!("look at {report}"));
    let all = worktree.chain(reports).chain(branch.notes.iter().cloned());
    all.map(|line| text::one_line(&line)).collect()
}
