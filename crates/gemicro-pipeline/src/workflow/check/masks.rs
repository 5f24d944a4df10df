//! Rejects checks that would prove nothing.

use super::super::model::Workflow;
use super::super::places::ProblemList;
use crate::evidence::find_masked_exit;

pub(super) fn check(workflow: &Workflow, report: &mut ProblemList) {
    for check in &workflow.checks {
        if let Some(masked) = find_masked_exit(&check.command) {
            let key = format!("checks.{}", check.name);
            report.add(key, format!("it proves nothing: {masked}"));
        }
    }
}
