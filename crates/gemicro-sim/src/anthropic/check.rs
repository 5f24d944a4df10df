//! Rejects invalid requests with the same error messages as the Anthropic API.

use std::collections::BTreeSet;

use serde_json::Value;

use super::blocks;
use super::request::{list, text};
use crate::server::SimulatedRefusal;

const FIELDS: &[&str] = &[
    "model",
    "messages",
    "max_tokens",
    "cache_control",
    "container",
    "context_management",
    "inference_geo",
    "mcp_servers",
    "metadata",
    "output_config",
    "output_format",
    "service_tier",
    "speed",
    "stop_sequences",
    "stream",
    "system",
    "temperature",
    "thinking",
    "tool_choice",
    "tools",
    "top_k",
    "top_p",
];
/// Fields that `count_tokens` does not accept.
const NOT_COUNTED: &[&str] = &[
    "max_tokens",
    "metadata",
    "service_tier",
    "stop_sequences",
    "stream",
    "temperature",
    "top_k",
    "top_p",
];
/// Minimum budget for thoughts.
const THOUGHTS: u64 = 1024;

/// Checks the body of `POST /v1/messages`. `betas` is the header of that name.
pub(super) fn create(body: &Value, betas: &str) -> Result<(), SimulatedRefusal> {
    fields(body, &[])?;
    require_field(body, "max_tokens")?;
    let max_tokens = match body["max_tokens"].as_u64() {
        Some(0) => {
            return Err(SimulatedRefusal::invalid(
                "max_tokens: Input should be greater than or equal to 1",
            ));
        }
        Some(n_tokens) => n_tokens,
        None => {
            return Err(SimulatedRefusal::invalid(
                "max_tokens: Input should be a valid integer",
            ));
        }
    };
    both(body, betas)?;
    flag(body, "stream")?;
    for (name, most) in [("temperature", 1.0), ("top_p", 1.0)] {
        number(body, name, most)?;
    }
    if body
        .get("stop_sequences")
        .is_some_and(|value| !is_list_of_texts(value))
    {
        return Err(SimulatedRefusal::invalid(
            "stop_sequences: Input should be a valid list",
        ));
    }
    thinking(body, max_tokens)
}

/// Checks the body of `POST /v1/messages/count_tokens`.
pub(super) fn count(body: &Value, betas: &str) -> Result<(), SimulatedRefusal> {
    fields(body, NOT_COUNTED)?;
    both(body, betas)
}

/// Checks the fields common to both calls.
fn both(body: &Value, betas: &str) -> Result<(), SimulatedRefusal> {
    require_field(body, "model")?;
    if text(body, "model").is_empty() {
        return Err(SimulatedRefusal::invalid("model: Input should be a valid string"));
    }
    require_field(body, "messages")?;
    let Some(messages) = body["messages"].as_array() else {
        return Err(SimulatedRefusal::invalid(
            "messages: Input should be a valid list",
        ));
    };
    system(body)?;
    let tools = tools(body)?;
    tool_choice(body, &tools)?;
    blocks::check(messages, betas)
}

fn fields(body: &Value, but: &[&str]) -> Result<(), SimulatedRefusal> {
    for name in body.as_object().into_iter().flat_map(|fields| fields.keys()) {
        if !FIELDS.contains(&name.as_str()) || but.contains(&name.as_str()) {
            return Err(SimulatedRefusal::invalid(format!(
                "{name}: Extra inputs are not permitted"
            )));
        }
    }
    Ok(())
}

fn require_field(body: &Value, name: &str) -> Result<(), SimulatedRefusal> {
    match body.get(name) {
        Some(_) => Ok(()),
        None => Err(SimulatedRefusal::invalid(format!("{name}: Field required"))),
    }
}

fn flag(body: &Value, name: &str) -> Result<(), SimulatedRefusal> {
    match body.get(name) {
        None | Some(Value::Null | Value::Bool(_)) => Ok(()),
        Some(_) => Err(SimulatedRefusal::invalid(format!(
            "{name}: Input should be a valid boolean"
        ))),
    }
}

fn number(body: &Value, name: &str, most: f64) -> Result<(), SimulatedRefusal> {
    match body.get(name) {
        None | Some(Value::Null) => Ok(()),
        Some(value) => match value.as_f64() {
            Some(value) if (0.0..=most).contains(&value) => Ok(()),
            Some(_) => Err(SimulatedRefusal::invalid(format!("{name}: range: 0..{most}"))),
            None => Err(SimulatedRefusal::invalid(format!(
                "{name}: Input should be a valid number"
            ))),
        },
    }
}

fn is_list_of_texts(value: &Value) -> bool {
    value
        .as_array()
        .is_some_and(|texts| texts.iter().all(Value::is_string))
}

fn system(body: &Value) -> Result<(), SimulatedRefusal> {
    match body.get("system") {
        None | Some(Value::Null | Value::String(_)) => Ok(()),
        Some(Value::Array(parts)) => {
            for (idx, part) in parts.iter().enumerate() {
                if text(part, "type") != "text" || !part["text"].is_string() {
                    return Err(SimulatedRefusal::invalid(format!(
                        "system.{idx}.type: Input should be 'text'"
                    )));
                }
            }
            Ok(())
        }
        Some(_) => Err(SimulatedRefusal::invalid(
            "system: Input should be a valid string",
        )),
    }
}

/// Checks the tools and returns their names. Built-in (server) tools have their own `type` and no schema.
fn tools(body: &Value) -> Result<BTreeSet<&str>, SimulatedRefusal> {
    let mut names = BTreeSet::new();
    for (idx, tool) in list(body, "tools").enumerate() {
        let name = text(tool, "name");
        let is_custom = matches!(text(tool, "type"), "" | "custom");
        if is_custom {
            let place = format!("tools.{idx}.custom");
            let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
            if tool.get("name").is_none() {
                return Err(SimulatedRefusal::invalid(format!("{place}.name: Field required")));
            }
            if name.is_empty() || name.len() > 128 || !name.chars().all(fits) {
                return Err(SimulatedRefusal::invalid(format!(
                    "{place}.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'"
                )));
            }
            let Some(schema) = tool.get("input_schema") else {
                return Err(SimulatedRefusal::invalid(format!(
                    "{place}.input_schema: Field required"
                )));
            };
            if text(schema, "type") != "object" {
                return Err(SimulatedRefusal::invalid(format!(
                    "{place}.input_schema.type: Input should be 'object'"
                )));
            }
        }
        if !name.is_empty() && !names.insert(name) {
            return Err(SimulatedRefusal::invalid("tools: Tool names must be unique."));
        }
    }
    Ok(names)
}

fn tool_choice(body: &Value, tools: &BTreeSet<&str>) -> Result<(), SimulatedRefusal> {
    let Some(choice) = body.get("tool_choice").filter(|choice| !choice.is_null()) else {
        return Ok(());
    };
    match text(choice, "type") {
        "none" => Ok(()),
        "auto" | "any" | "tool" if tools.is_empty() => Err(SimulatedRefusal::invalid(
            "tool_choice may only be specified while providing tools",
        )),
        "auto" | "any" => Ok(()),
        "tool" if tools.contains(text(choice, "name")) => Ok(()),
        "tool" => Err(SimulatedRefusal::invalid(format!(
            "Tool '{}' not found in provided tools",
            text(choice, "name")
        ))),
        other => Err(SimulatedRefusal::invalid(format!(
            "tool_choice: Input tag '{other}' found using 'type' does not match any of the expected tags: 'any', 'auto', 'none', 'tool'"
        ))),
    }
}

fn thinking(body: &Value, max_tokens: u64) -> Result<(), SimulatedRefusal> {
    let Some(thinking) = body.get("thinking").filter(|thinking| !thinking.is_null()) else {
        return Ok(());
    };
    match text(thinking, "type") {
        "disabled" | "adaptive" => Ok(()),
        "enabled" => match thinking.get("budget_tokens").and_then(Value::as_u64) {
            None => Err(SimulatedRefusal::invalid(
                "thinking.enabled.budget_tokens: Field required",
            )),
            Some(budget) if budget < THOUGHTS => Err(SimulatedRefusal::invalid(format!(
                "thinking.enabled.budget_tokens: Input should be greater than or equal to {THOUGHTS}"
            ))),
            Some(budget) if budget >= max_tokens => Err(SimulatedRefusal::invalid(
                "`max_tokens` must be greater than `thinking.budget_tokens`.",
            )),
            Some(_) => Ok(()),
        },
        other => Err(SimulatedRefusal::invalid(format!(
            "thinking: Input tag '{other}' found using 'type' does not match any of the expected tags: 'adaptive', 'disabled', 'enabled'"
        ))),
    }
}
