//! Runs all rules, and finds oddities that are not errors.

use super::super::model::{PhaseWork, Workflow};
use super::super::places::ProblemList;
use super::{artifacts, documents, edges, masks, names, numbers, paths, prompts, questions, reach, roles};

/// Adds all problems of a workflow to the report.
pub(in super::super) fn check(workflow: &Workflow, report: &mut ProblemList) {
    names::check(workflow, report);
    numbers::check(workflow, report);
    roles::check(workflow, report);
    documents::check(workflow, report);
    paths::check(workflow, report);
    masks::check(workflow, report);
    prompts::check(workflow, report);
    questions::check(workflow, report);
    // Reachability is only meaningful if all edges have valid targets.
    if edges::check(workflow, report) {
        reach::check(workflow, report);
        artifacts::check(workflow, report);
    }
}

/// Returns warnings about a workflow that may be run nevertheless.
#[must_use]
pub fn warnings(workflow: &Workflow) -> Vec<String> {
    let is_used = |name: &String| {
        let mut phases = workflow.phases.iter();
        phases.any(|phase| matches!(&phase.work, PhaseWork::Agent { role, .. } if role == name))
    };
    let unused = workflow.roles.keys().filter(|name| !is_used(name));
    let mut warnings: Vec<String> = unused
        .map(|name| format!("roles.{name}: no phase uses it"))
        .collect();
    if workflow.checks.is_empty() {
        warnings.push("checks: there are none, so no tests verify the work".to_owned());
    }
    warnings
}
