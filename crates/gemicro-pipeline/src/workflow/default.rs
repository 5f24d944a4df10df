//! The workflow in the binary, and its files for those who want to change it.

use super::model::Workflow;
use super::parse::parse;

/// The workflow in the binary.
#[must_use]
pub fn default_workflow() -> Workflow {
    parse(FILES[0].1, &embedded_prompt).expect("the tests parse the embedded workflow")
}

/// Every file of it, the workflow first: its path below `.gemicro`, and its text.
#[must_use]
pub fn default_files() -> &'static [(&'static str, &'static str)] {
    FILES
}

/// The text of one of the prompts in the binary.
fn embedded_prompt(name: &str) -> Option<String> {
    let is_it = |path: &str| path.strip_prefix("prompts/") == Some(name);
    let found = FILES.iter().find(|(path, _)| is_it(path));
    found.map(|(_, text)| (*text).to_owned())
}

macro_rules! prompt {
    ($name:literal) => {
        (
            concat!("prompts/", $name),
            include_str!(concat!("../../../../prompts/pipeline/", $name)),
        )
    };
}

const FILES: &[(&str, &str)] = &[
    (
        "workflow.yaml",
        include_str!("../../../../workflows/default.yaml"),
    ),
    prompt!("architect.md"),
    prompt!("auditor.md"),
    prompt!("developer.md"),
    prompt!("ending.md"),
    prompt!("integration_specialist.md"),
    prompt!("investigator.md"),
    prompt!("lead_analyst.md"),
    prompt!("plan_reviewer.md"),
    prompt!("researcher.md"),
    prompt!("rules.md"),
];
