//! Checks that names are safe in keys, file names and on a screen.

use super::super::model::Workflow;
use super::super::places::ProblemList;

/// Names that are reserved where a phase is expected.
const RESERVED: [&str; 5] = ["back", "end", "request", "diff", "conflicts"];
/// Maximum length of a phase or role name, in bytes.
const MOST_NAME: usize = 40;
/// Maximum length of one-line text, in characters.
const MOST_TEXT: usize = 200;

pub(super) fn check(workflow: &Workflow, report: &mut ProblemList) {
    name("workflow", &workflow.name, report);
    for (role_name, role) in &workflow.roles {
        let key = format!("roles.{role_name}");
        name(&key, role_name, report);
        line(&format!("{key}.title"), &role.title, report);
        if let Some(model) = &role.model {
            line(&format!("{key}.model"), model, report);
        }
    }
    for phase in &workflow.phases {
        let key = format!("phases.{}", phase.name);
        name(&key, &phase.name, report);
        if RESERVED.contains(&phase.name.as_str()) {
            report.add(key.as_str(), "this name is reserved: choose another");
        }
        line(&format!("{key}.label"), &phase.label, report);
        if let Some(question) = &phase.human {
            line(&format!("{key}.human"), question, report);
        }
    }
    for check in &workflow.checks {
        line(&format!("checks.{}", check.name), &check.name, report);
    }
}

/// Returns true for a valid prompt file name: plain, without a folder.
pub(in super::super) fn is_prompt_name(name: &str) -> bool {
    name.strip_suffix(".md").is_some_and(|stem| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        !stem.is_empty() && stem.len() <= MOST_NAME && stem.bytes().all(is_plain)
    })
}

fn name(key: &str, name: &str, report: &mut ProblemList) {
    let is_plain =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_' || byte == b'-';
    let begins_well = name.starts_with(|first: char| first.is_ascii_lowercase());
    if !begins_well || name.len() > MOST_NAME || !name.bytes().all(is_plain) {
        let message =
            format!("use at most {MOST_NAME} lowercase letters, digits, `_` and `-`, a letter first");
        report.add(key, message);
    }
}

fn line(key: &str, text: &str, report: &mut ProblemList) {
    let is_shown = !text.trim().is_empty() && text.chars().count() <= MOST_TEXT;
    if !is_shown || text.chars().any(char::is_control) {
        report.add(
            key,
            format!("write one line of text, at most {MOST_TEXT} characters"),
        );
    }
}
