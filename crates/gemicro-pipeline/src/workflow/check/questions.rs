//! What a person is asked before a phase begins.

use super::super::model::Workflow;
use super::super::places::Report;

pub(super) fn check(workflow: &Workflow, report: &mut Report) {
    for phase in &workflow.phases {
        // `human: true` is a wish for a question, not one.
        let is_a_word = |question: &String| question.split_whitespace().count() < 2;
        if phase.human.as_ref().is_some_and(is_a_word) {
            let fault = "write the question that a person is asked, such as \"Shall the audit begin?\"";
            report.add(format!("phases.{}.human", phase.name), fault.to_owned());
        }
    }
}
