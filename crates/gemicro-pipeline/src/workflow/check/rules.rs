//! All rules in their order, and what is odd but no reason to refuse.

use super::super::model::{PhaseWork, Workflow};
use super::super::places::ProblemList;
use super::{artifacts, documents, edges, masks, names, numbers, paths, prompts, questions, reach, roles};

/// Adds all that is wrong with a workflow to the report.
pub(in super::super) fn check(workflow: &Workflow, report: &mut ProblemList) {
    names::check(workflow, report);
    numbers::check(workflow, report);
    roles::check(workflow, report);
    documents::check(workflow, report);
    paths::check(workflow, report);
    masks::check(workflow, report);
    prompts::check(workflow, report);
    questions::check(workflow, report);
    // While edges lead nowhere it is not known what they reach.
    if edges::check(workflow, report) {
        reach::check(workflow, report);
        artifacts::check(workflow, report);
    }
}

/// What is odd about a workflow that may be run nevertheless.
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
