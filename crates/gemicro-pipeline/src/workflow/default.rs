//! The built-in workflow, and its files for users who want to change it.

use super::model::Workflow;
use super::parse::parse;

/// The built-in workflow.
#[must_use]
pub fn default_workflow() -> Workflow {
    parse(FILES[0].1, &embedded_prompt).expect("the tests parse the embedded workflow")
}

/// All its files, the workflow first: path below `.gemicro`, and text.
#[must_use]
pub fn default_files() -> &'static [(&'static str, &'static str)] {
    FILES
}

/// Returns the text of a built-in prompt.
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
