//! Checks that paths stay inside the checkout.

use super::super::model::Workflow;
use super::super::places::ProblemList;

pub(super) fn check(workflow: &Workflow, report: &mut ProblemList) {
    for (key, paths) in [("carry", &workflow.carry), ("caches", &workflow.caches)] {
        for (idx, path) in paths.iter().enumerate() {
            if !is_beneath(path) {
                let message = "write a path relative to the checkout, without `..` and not into .git";
                report.add(format!("{key}.{idx}"), message);
            }
        }
    }
    for (idx, command) in workflow.setup.iter().enumerate() {
        if command.trim().is_empty() {
            report.add(format!("setup.{idx}"), "the command is empty: leave it out");
        }
    }
}

/// Returns true for a path inside the folder and outside of `.git`.
pub(super) fn is_beneath(path: &str) -> bool {
    let is_plain = |part: &str| !matches!(part, "" | "." | "..") && !part.eq_ignore_ascii_case(".git");
    let folder = path.strip_suffix('/').unwrap_or(path);
    !path.contains(['\\', '\0', '\n']) && folder.split('/').all(is_plain)
}
