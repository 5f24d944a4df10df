//! Checks prompts: they exist, can be parsed, and render with and without the optional parts.

use super::super::model::Workflow;
use super::super::places::ProblemList;
use super::super::prompt::{ENDING_FILE, RULES_FILE, inspect, try_out};
use super::names::is_prompt_name;

pub(super) fn check(workflow: &Workflow, report: &mut ProblemList) {
    let mut is_sound = true;
    for file in [RULES_FILE, ENDING_FILE] {
        if let Err(error) = inspect(workflow, file) {
            report.add(format!("prompts.{file}"), error.to_string());
            is_sound = false;
        }
    }
    for (name, role) in &workflow.roles {
        let key = format!("roles.{name}.prompt");
        if !is_prompt_name(&role.prompt) {
            report.add(
                key,
                "write the name of a file in the folder of the prompts, such as developer.md",
            );
        } else if let Err(error) = inspect(workflow, &role.prompt) {
            report.add(key, error.to_string());
        } else if is_sound && let Err(error) = try_out(workflow, role) {
            report.add(key, error.to_string());
        }
    }
}
