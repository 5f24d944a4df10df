//! The MCP prompts: the forms of `gemicro-core`, filled with the client's arguments.

use gemicro_core::ask::{FormLanguage, InjectedText, PromptForm, TemplateKind, TemplateParts};
use rmcp::ErrorData;
use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::Value;

/// Name, description, and whether it is required.
const ARGUMENTS: [(&str, &str, bool); 7] = [
    ("tasks", "The questions or tasks, one per line", true),
    ("background", "What the agent has to know first", false),
    (
        "contract",
        "The text of the implementation contract, such as ai/contracts/current.md",
        false,
    ),
    (
        "codex",
        "The text of the engineering principles, such as ai/engineering_codex.md",
        false,
    ),
    (
        "context",
        "The text of the project context, such as ai/PROJECT_CONTEXT.md",
        false,
    ),
    (
        "expected",
        "What the answer should look like, one point per line",
        false,
    ),
    ("language", "en (default) or zh", false),
];

pub(crate) fn list() -> Vec<Prompt> {
    TemplateKind::ALL
        .into_iter()
        .map(|kind| {
            let arguments = ARGUMENTS.iter().map(|(name, description, is_required)| {
                PromptArgument::new(*name)
                    .with_description(*description)
                    .with_required(*is_required)
            });
            Prompt::new(kind.as_str(), Some(description(kind)), Some(arguments.collect()))
        })
        .collect()
}

/// One prompt, filled in.
///
/// # Errors
/// Invalid parameters, with their name.
pub(crate) fn get(name: &str, arguments: Option<&JsonObject>) -> Result<GetPromptResult, ErrorData> {
    let kind = TemplateKind::ALL.into_iter().find(|kind| kind.as_str() == name);
    let kind = kind.ok_or_else(|| refuse(format!("there is no prompt `{name}`")))?;
    let given = PromptArguments::new(arguments)?;
    let language = match given.text("language").as_str() {
        "" => FormLanguage::default(),
        code => {
            FormLanguage::of_code(code).ok_or_else(|| refuse("`language` must be en or zh".to_owned()))?
        }
    };
    let parts = TemplateParts {
        background: given.text("background"),
        contract: given.injected("contract"),
        codex: given.injected("codex"),
        context: given.injected("context"),
        tasks: given.lines("tasks"),
        expected: given.lines("expected"),
    };
    if parts.tasks.is_empty() {
        return Err(refuse("`tasks` is missing or empty".to_owned()));
    }
    let text = PromptForm { kind, language }.render(&parts);
    let message = PromptMessage::new_text(Role::User, text);
    Ok(GetPromptResult::new(vec![message]).with_description(description(kind)))
}

fn description(kind: TemplateKind) -> &'static str {
    match kind {
        TemplateKind::Consult => "Asks for advice; give it with sandbox read-only",
        TemplateKind::Review => "Asks for a review; give it with sandbox read-only",
        TemplateKind::Execute => "Asks for work; give it with sandbox workspace-write",
    }
}

fn refuse(message: String) -> ErrorData {
    ErrorData::invalid_params(message, None)
}

/// The arguments of one prompt: all known, and all strings.
struct PromptArguments<'a> {
    arguments: Option<&'a JsonObject>,
}

impl<'a> PromptArguments<'a> {
    fn new(arguments: Option<&'a JsonObject>) -> Result<Self, ErrorData> {
        for (name, value) in arguments.into_iter().flatten() {
            if !ARGUMENTS.iter().any(|(known, _, _)| known == name) {
                return Err(refuse(format!("there is no argument `{name}`")));
            }
            if !value.is_string() {
                return Err(refuse(format!("`{name}` must be a string")));
            }
        }
        Ok(Self { arguments })
    }

    fn text(&self, name: &str) -> String {
        let value = self.arguments.and_then(|arguments| arguments.get(name));
        value.and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    fn lines(&self, name: &str) -> Vec<String> {
        let text = self.text(name);
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        lines.map(str::to_owned).collect()
    }

    fn injected(&self, name: &str) -> Option<InjectedText> {
        let text = self.text(name);
        (!text.trim().is_empty()).then_some(InjectedText { name: None, text })
    }
}
