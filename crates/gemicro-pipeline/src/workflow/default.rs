//! The built-in workflows, and their files for users who want to change them.

use super::model::Workflow;
use super::parse::parse;

/// A workflow that is part of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuiltInWorkflow {
    /// Every phase, with a review of the plan.
    Default,
    /// For small changes: plan, code, checks, one review.
    Light,
}

impl BuiltInWorkflow {
    /// The built-in workflow with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "default" => Some(Self::Default),
            "light" => Some(Self::Light),
            _ => None,
        }
    }

    /// The workflow itself.
    #[must_use]
    pub fn workflow(self) -> Workflow {
        parse(self.text(), &embedded_prompt).expect("the tests parse the embedded workflows")
    }

    /// All its files, the workflow first: path below `.gemicro`, and text.
    #[must_use]
    pub fn files(self) -> Vec<(&'static str, &'static str)> {
        let prompts = self.workflow().prompts;
        let is_used = |path: &str| {
            path.strip_prefix("prompts/")
                .is_some_and(|name| prompts.contains_key(name))
        };
        let used = FILES.iter().copied().filter(|(path, _)| is_used(path));
        std::iter::once((FILES[0].0, self.text())).chain(used).collect()
    }

    fn text(self) -> &'static str {
        match self {
            Self::Default => FILES[0].1,
            Self::Light => include_str!("../../../../workflows/light.yaml"),
        }
    }
}

/// The workflow of projects without one.
#[must_use]
pub fn default_workflow() -> Workflow {
    BuiltInWorkflow::Default.workflow()
}

/// The files of that workflow; its prompts are all built-in ones.
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
