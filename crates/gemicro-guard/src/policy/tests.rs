//! The cases of the reference, the cases by rule, tools, and properties.

mod cases;
mod cost;
mod properties;
mod tools;

use std::path::Path;

use super::{GuardedCall, PolicyConfig, PolicyDecision, check};

const WORKTREE: &str = "/nowhere/tasks/t1/wt";
const REPOSITORY: &str = "/nowhere/repo";
const HOME: &str = concat!("/ho", "me/someone");

/// The decision on a shell command in the worktree.
fn shell(command: &str) -> PolicyDecision {
    check(
        &PolicyConfig::default(),
        &GuardedCall::shell("Bash", command, Path::new(WORKTREE)),
    )
}

/// Puts the folders of these tests into a case.
fn filled(text: &str) -> String {
    text.replace("{{WT}}", WORKTREE)
        .replace("{{REPO}}", REPOSITORY)
        .replace("{{HOME}}", HOME)
}
