//! Rejects invalid create requests like the service.

use serde_json::Value;

use super::input;
use super::stored::StoredInteraction;
use crate::gemini::models::SimulatedModels;
use crate::server::SimulatedRefusal;

const FIELDS: &[&str] = &[
    "model",
    "agent",
    "input",
    "system_instruction",
    "previous_interaction_id",
    "store",
    "stream",
    "background",
    "tools",
    "response_format",
    "response_modalities",
    "generation_config",
    "service_tier",
    "labels",
    "safety_settings",
    "agent_config",
    "continuation_token",
    "webhook_config",
    "environment",
];
const CONFIG: &[&str] = &[
    "temperature",
    "top_p",
    "seed",
    "max_output_tokens",
    "stop_sequences",
    "thinking_level",
    "thinking_summaries",
    "tool_choice",
    "image_config",
    "speech_config",
    "video_config",
    "transcription_config",
];
/// Kinds of tools, and their fields besides `type`.
const TOOLS: &[(&str, &[&str])] = &[
    ("function", &["name", "description", "parameters"]),
    ("google_search", &["search_types"]),
    ("url_context", &[]),
    ("code_execution", &[]),
    ("mcp_server", &["name", "url", "headers", "allowed_tools"]),
    (
        "file_search",
        &["file_search_store_names", "metadata_filter", "top_k"],
    ),
    ("google_maps", &["enable_widget", "latitude", "longitude"]),
    ("computer_use", &["environment", "excluded_predefined_functions"]),
];

/// The context that a request is checked against.
pub(super) struct InteractionContext<'s> {
    pub(super) models: &'s SimulatedModels,
    pub(super) version: &'s str,
    /// The interaction it continues, if that exists.
    pub(super) previous: Option<&'s StoredInteraction>,
}

/// Checks a whole body.
pub(super) fn check(body: &Value, setting: &InteractionContext<'_>) -> Result<(), SimulatedRefusal> {
    for name in names(body) {
        if !FIELDS.contains(&name) {
            return Err(SimulatedRefusal::unknown_parameter(name));
        }
    }
    who(body, setting)?;
    for name in body.get("generation_config").into_iter().flat_map(names) {
        if !CONFIG.contains(&name) {
            return Err(SimulatedRefusal::unknown_parameter(&format!(
                "generation_config.{name}"
            )));
        }
    }
    state(body, setting)?;
    tools(body)?;
    labels(body)?;
    choice(body, "service_tier", &["standard", "flex", "priority"])?;
    if let Some(config) = body.get("generation_config") {
        choice(config, "thinking_level", &["minimal", "low", "medium", "high"])?;
        choice(config, "thinking_summaries", &["auto", "none"])?;
    }
    input::check(body, setting.previous)
}

/// Checks that there is exactly one of `model` and `agent`, and their requirements.
fn who(body: &Value, setting: &InteractionContext<'_>) -> Result<(), SimulatedRefusal> {
    let text = |name: &str| body.get(name).and_then(Value::as_str);
    match (text("model"), text("agent")) {
        (Some(model), None) => {
            let id = model.strip_prefix("models/").unwrap_or(model);
            let Some(known) = setting.models.model(id, setting.version) else {
                return Err(SimulatedRefusal::model_not_found(id, setting.version));
            };
            let level = body
                .pointer("/generation_config/thinking_level")
                .and_then(Value::as_str);
            if level == Some("minimal") && !known.minimal {
                return Err(unsupported_value(
                    "minimal",
                    "thinking_level",
                    "generation_config",
                ));
            }
            if body.get("agent_config").is_some() {
                return Err(SimulatedRefusal::invalid(
                    "'agent_config' is only supported with 'agent'.",
                ));
            }
            Ok(())
        }
        (None, Some(id)) => {
            let Some(agent) = setting.models.agent(id) else {
                return Err(SimulatedRefusal::new(404, format!("Agent '{id}' was not found.")));
            };
            if body.get("background") != Some(&Value::Bool(true)) {
                return Err(SimulatedRefusal::invalid(
                    "Agent interactions require 'background' to be true.",
                ));
            }
            if agent.needs_environment && body.get("environment").is_none() {
                return Err(SimulatedRefusal::invalid(format!(
                    "Agent '{id}' requires an 'environment'."
                )));
            }
            Ok(())
        }
        (Some(_), Some(_)) => Err(SimulatedRefusal::invalid(
            "Only one of 'model' and 'agent' may be set.",
        )),
        (None, None) => Err(SimulatedRefusal::invalid(
            "One of 'model' and 'agent' must be set.",
        )),
    }
}

fn state(body: &Value, setting: &InteractionContext<'_>) -> Result<(), SimulatedRefusal> {
    for name in ["store", "stream", "background"] {
        if body.get(name).is_some_and(|value| !value.is_boolean()) {
            return Err(SimulatedRefusal::invalid(format!(
                "The value of '{name}' must be a boolean."
            )));
        }
    }
    let stored = body.get("store") != Some(&Value::Bool(false));
    let background = body.get("background") == Some(&Value::Bool(true));
    if background && !stored {
        return Err(SimulatedRefusal::invalid(
            "'background' requires 'store' to be true.",
        ));
    }
    if let Some(id) = body.get("previous_interaction_id") {
        if !stored {
            return Err(SimulatedRefusal::invalid(
                "'previous_interaction_id' requires 'store' to be true.",
            ));
        }
        let Some(previous) = setting.previous else {
            let id = id.as_str().unwrap_or_default();
            return Err(SimulatedRefusal::new(
                404,
                format!("Interaction '{id}' was not found."),
            ));
        };
        if !previous.has_ended() {
            return Err(SimulatedRefusal::precondition(format!(
                "Interaction '{}' is still in progress.",
                previous.id
            )));
        }
    }
    Ok(())
}

fn tools(body: &Value) -> Result<(), SimulatedRefusal> {
    for (idx, tool) in list(body, "tools").enumerate() {
        let kind = tool.get("type").and_then(Value::as_str).unwrap_or_default();
        let Some((_, fields)) = TOOLS.iter().find(|(known, _)| *known == kind) else {
            return Err(unsupported_value(kind, "type", &format!("tools[{idx}]")));
        };
        for name in names(tool) {
            if name != "type" && !fields.contains(&name) {
                return Err(SimulatedRefusal::unknown_parameter(&format!(
                    "tools[{idx}].{name}"
                )));
            }
        }
        if kind == "function" && tool.get("name").and_then(Value::as_str).is_none_or(str::is_empty) {
            return Err(SimulatedRefusal::invalid(format!(
                "'tools[{idx}].name' is required."
            )));
        }
    }
    Ok(())
}

fn labels(body: &Value) -> Result<(), SimulatedRefusal> {
    let Some(labels) = body.get("labels").and_then(Value::as_object) else {
        return Ok(());
    };
    let fits = |text: &str| {
        text.len() <= 63
            && text
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-')
    };
    for (name, value) in labels {
        let starts = name.starts_with(|c: char| c.is_ascii_lowercase());
        if !starts || !fits(name) || !value.as_str().is_some_and(fits) {
            return Err(SimulatedRefusal::invalid(format!(
                "Label '{name}' is invalid: at most 63 lower-case letters, digits, '_' and '-'; keys start with a letter."
            )));
        }
    }
    Ok(())
}

fn choice(value: &Value, name: &str, known: &[&str]) -> Result<(), SimulatedRefusal> {
    match value.get(name) {
        None => Ok(()),
        Some(Value::String(text)) if known.contains(&text.as_str()) => Ok(()),
        Some(other) => {
            let text = other.as_str().map_or_else(|| other.to_string(), str::to_owned);
            Err(SimulatedRefusal::invalid(format!(
                "The value '{text}' is not supported for '{name}'."
            )))
        }
    }
}

pub(super) fn unsupported_value(value: &str, name: &str, place: &str) -> SimulatedRefusal {
    SimulatedRefusal::invalid(format!(
        "The value '{value}' is not supported for '{name}' at '{place}'."
    ))
}

pub(super) fn names(value: &Value) -> impl Iterator<Item = &str> {
    value
        .as_object()
        .into_iter()
        .flat_map(|fields| fields.keys().map(String::as_str))
}

pub(super) fn list<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    value.get(name).and_then(Value::as_array).into_iter().flatten()
}
