//! Checks the questions that a person is asked before a phase.

use super::super::model::Workflow;
use super::super::places::ProblemList;

pub(super) fn check(workflow: &Workflow, report: &mut ProblemList) {
    for phase in &workflow.phases {
        // `human: true` asks for a question but is not one.
        let asks =
            |question: &String| question.ends_with('?') || question.split_whitespace().nth(1).is_some();
        if phase.human.as_ref().is_some_and(|question| !asks(question)) {
            let fault = "write the question that a person is asked, such as \"Shall the audit begin?\"";
            report.add(format!("phases.{}.human", phase.name), fault.to_owned());
        }
    }
}
