//! Renders a role's template, followed by the common rules and ending.
//!
//! The main function is [`render`]. Values are inserted literally and never interpreted as templates.

use std::collections::BTreeSet;

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, Value};
use minijinja::{AutoEscape, Environment, UndefinedBehavior};
use serde::Serialize;

use super::context::PromptContext;
use super::error::PromptError;
use crate::payload;
use crate::workflow::{Role, Workflow};

/// The rules for every role.
pub(in super::super) const RULES_FILE: &str = "rules.md";
/// The ending of every prompt, which asks for the payload.
pub(in super::super) const ENDING_FILE: &str = "ending.md";

/// Maximum size of a prompt.
const MOST_BYTES: usize = 512 * 1024;

/// Every variable of a template.
const VARIABLES: [&str; 20] = [
    "asked_again",
    "branch",
    "checks",
    "document",
    "example",
    "feature",
    "feedback",
    "label",
    "memory",
    "mode",
    "notes",
    "plan_sections",
    "reads",
    "remarks",
    "request",
    "role_title",
    "round",
    "skill_wanted",
    "skills",
    "tag_line",
];

/// Renders the prompt for one step of a role.
///
/// # Errors
/// When a template is missing or invalid, which a checked workflow excludes, or when the prompt is too long.
pub fn render(workflow: &Workflow, role: &Role, context: &PromptContext) -> Result<String, PromptError> {
    let variables = Value::from(Serde(Variables {
        context,
        role_title: &role.title,
        example: payload::example(role.shape),
    }));
    let mut parts = Vec::new();
    for file in [role.prompt.as_str(), RULES_FILE, ENDING_FILE] {
        let environment = environment();
        let template = environment
            .template_from_named_str(file, source(workflow, file)?)
            .map_err(|error| render_error(file, &error))?;
        let part = template
            .render(variables.clone())
            .map_err(|error| render_error(file, &error))?;
        parts.push(part.trim().to_owned());
    }
    let text = parts.join("\n\n") + "\n";
    if text.len() > MOST_BYTES {
        return Err(PromptError::TooLong {
            file: role.prompt.clone(),
            bytes: text.len(),
            most: MOST_BYTES,
        });
    }
    Ok(text)
}

/// Checks a template for errors on all paths through it.
pub(in super::super) fn inspect(workflow: &Workflow, file: &str) -> Result<(), PromptError> {
    let environment = environment();
    let template = environment
        .template_from_named_str(file, source(workflow, file)?)
        .map_err(|error| render_error(file, &error))?;
    let used: BTreeSet<String> = template.undeclared_variables(false).into_iter().collect();
    let is_function = |name: &str| environment.globals().any(|(known, _)| known == name);
    let is_known = |name: &str| VARIABLES.contains(&name) || is_function(name);
    let unknown: Vec<String> = used.iter().filter(|name| !is_known(name)).cloned().collect();
    if !unknown.is_empty() {
        return Err(PromptError::UndefinedVariable {
            file: file.to_owned(),
            unknown,
            known: VARIABLES.join(", "),
        });
    }
    let needed = ["tag_line", "example"].into_iter();
    let left_out = needed.filter(|name| file == ENDING_FILE && !used.contains(*name));
    match left_out.min() {
        Some(variable) => Err(PromptError::NoPayloadAsked {
            file: file.to_owned(),
            variable,
        }),
        None => Ok(()),
    }
}

/// The variables visible to templates.
#[derive(Serialize)]
struct Variables<'a> {
    #[serde(flatten)]
    context: &'a PromptContext,
    role_title: &'a str,
    example: String,
}

fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    // Lines with only a block leave no empty line.
    let syntax = SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .build();
    environment.set_syntax(syntax.expect("the usual delimiters are sound"));
    environment
}

fn source<'a>(workflow: &'a Workflow, file: &str) -> Result<&'a str, PromptError> {
    let found = workflow.prompts.get(file).map(String::as_str);
    found.ok_or_else(|| PromptError::Missing {
        file: file.to_owned(),
    })
}

fn render_error(file: &str, error: &minijinja::Error) -> PromptError {
    PromptError::Broken {
        file: file.to_owned(),
        line: error.line().unwrap_or(1),
        message: match error.detail() {
            Some(detail) => format!("{}: {detail}", error.kind()),
            None => error.kind().to_string(),
        },
    }
}
