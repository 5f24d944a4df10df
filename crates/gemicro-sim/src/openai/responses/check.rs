//! Rejects invalid requests with the same error messages as the service.

use serde_json::Value;

use super::request::{is_result, items, kind, list, text};
use crate::server::SimulatedRefusal;

const FIELDS: &[&str] = &[
    "background",
    "client_metadata",
    "context_management",
    "conversation",
    "include",
    "input",
    "instructions",
    "max_output_tokens",
    "max_tool_calls",
    "metadata",
    "model",
    "moderation",
    "parallel_tool_calls",
    "previous_response_id",
    "prompt",
    "prompt_cache_key",
    "prompt_cache_options",
    "prompt_cache_retention",
    "reasoning",
    "safety_identifier",
    "service_tier",
    "store",
    "stream",
    "stream_options",
    "temperature",
    "text",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
    "truncation",
    "user",
];
const ROLES: &[&str] = &["user", "assistant", "system", "developer"];
const PARTS: &[&str] = &[
    "input_text",
    "input_image",
    "input_file",
    "input_audio",
    "output_text",
    "refusal",
];
/// Kinds of items besides calls (`…_call`) and their results (`…_call_output`).
const ITEMS: &[&str] = &[
    "message",
    "additional_tools",
    "reasoning",
    "item_reference",
    "compaction",
    "mcp_list_tools",
    "mcp_approval_request",
    "mcp_approval_response",
    "tool_search_output",
];

/// Checks a body. `before` holds the items of the responses it continues.
pub(super) fn check(body: &Value, before: &[Value]) -> Result<(), SimulatedRefusal> {
    for name in body.as_object().into_iter().flat_map(|fields| fields.keys()) {
        if !FIELDS.contains(&name.as_str()) {
            return Err(SimulatedRefusal::bad_field(
                "unknown_parameter",
                name,
                format!("Unknown parameter: '{name}'."),
            ));
        }
    }
    if text(body, "model").is_empty() {
        return Err(missing_parameter("model"));
    }
    match body.get("input") {
        None if body.get("prompt").is_none() => return Err(missing_parameter("input")),
        None | Some(Value::String(_)) => {}
        Some(Value::Array(given)) if given.is_empty() => {
            return Err(SimulatedRefusal::bad_field(
                "empty_array",
                "input",
                "Invalid 'input': empty array. Expected an array with minimum length 1, but got an empty array instead.",
            ));
        }
        Some(Value::Array(given)) => {
            for (idx, item) in given.iter().enumerate() {
                check_item(item, idx)?;
            }
        }
        Some(_) => {
            return Err(invalid(
                "invalid_type",
                "input",
                "expected one of an array of input items or a string",
            ));
        }
    }
    for name in ["stream", "store", "background", "parallel_tool_calls"] {
        if !matches!(body.get(name), None | Some(Value::Null | Value::Bool(_))) {
            return Err(invalid("invalid_type", name, "expected a boolean"));
        }
    }
    if body
        .get("max_output_tokens")
        .is_some_and(|most| !most.is_null() && most.as_u64().is_none_or(|most| most < SMALLEST))
    {
        return Err(SimulatedRefusal::bad_field(
            "integer_below_min_value",
            "max_output_tokens",
            format!(
                "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= {SMALLEST}, but got {} instead.",
                body["max_output_tokens"]
            ),
        ));
    }
    tools(body)?;
    format(body)?;
    calls(&items(body, before))
}

/// Minimum limit of output tokens.
const SMALLEST: u64 = 16;

fn missing_parameter(name: &str) -> SimulatedRefusal {
    let message = format!("Missing required parameter: '{name}'.");
    SimulatedRefusal::bad_field("missing_required_parameter", name, message)
}

fn invalid(code: &str, name: &str, expected: &str) -> SimulatedRefusal {
    SimulatedRefusal::bad_field(code, name, format!("Invalid type for '{name}': {expected}."))
}

fn unsupported_value(value: &str, param: &str) -> SimulatedRefusal {
    let message = format!("Invalid value: '{value}'.");
    SimulatedRefusal::bad_field("invalid_value", param, message)
}

fn check_item(item: &Value, idx: usize) -> Result<(), SimulatedRefusal> {
    let place = format!("input[{idx}]");
    let kind = kind(item);
    let known = ITEMS.contains(&kind) || kind.ends_with("_call") || is_result(item);
    if !known {
        return Err(unsupported_value(kind, &format!("{place}.type")));
    }
    if kind == "message" {
        if !ROLES.contains(&text(item, "role")) {
            return Err(unsupported_value(text(item, "role"), &format!("{place}.role")));
        }
        if item.get("content").is_none() {
            return Err(missing_parameter(&format!("{place}.content")));
        }
        for (part_idx, part) in list(item, "content").enumerate() {
            if !PARTS.contains(&text(part, "type")) {
                let param = format!("{place}.content[{part_idx}].type");
                return Err(unsupported_value(text(part, "type"), &param));
            }
        }
    }
    let needed: &[&str] = match kind {
        "function_call" => &["call_id", "name", "arguments"],
        "function_call_output" | "custom_tool_call_output" => &["call_id", "output"],
        "custom_tool_call" => &["call_id", "name", "input"],
        "additional_tools" => &["tools"],
        _ => &[],
    };
    match needed.iter().find(|name| item.get(**name).is_none()) {
        Some(name) => Err(missing_parameter(&format!("{place}.{name}"))),
        None => Ok(()),
    }
}

fn tools(body: &Value) -> Result<(), SimulatedRefusal> {
    for (idx, tool) in list(body, "tools").enumerate() {
        let place = format!("tools[{idx}]");
        match text(tool, "type") {
            "" => return Err(missing_parameter(&format!("{place}.type"))),
            "function" | "custom" if text(tool, "name").is_empty() => {
                return Err(missing_parameter(&format!("{place}.name")));
            }
            _ => {}
        }
    }
    Ok(())
}

fn format(body: &Value) -> Result<(), SimulatedRefusal> {
    let Some(format) = body.pointer("/text/format") else {
        return Ok(());
    };
    match text(format, "type") {
        "text" | "json_object" => Ok(()),
        "json_schema" => match ["name", "schema"]
            .iter()
            .find(|name| format.get(**name).is_none())
        {
            Some(name) => Err(missing_parameter(&format!("text.format.{name}"))),
            None => Ok(()),
        },
        other => Err(unsupported_value(other, "text.format.type")),
    }
}

/// Checks that each result has its call, and each call of a client's tool its result.
fn calls(items: &[Value]) -> Result<(), SimulatedRefusal> {
    let mut open: Vec<(&str, &str)> = Vec::new();
    for item in items {
        let id = text(item, "call_id");
        match kind(item) {
            "function_call" => open.push(("function call", id)),
            "custom_tool_call" => open.push(("custom tool call", id)),
            "function_call_output" | "custom_tool_call_output" => {
                let Some(place) = open.iter().position(|(_, known)| *known == id) else {
                    return Err(SimulatedRefusal::bad_field(
                        "invalid_value",
                        "input",
                        format!("No tool call found for function call output with call_id {id}."),
                    ));
                };
                open.remove(place);
            }
            _ => {}
        }
    }
    match open.first() {
        Some((kind, id)) => Err(SimulatedRefusal::bad_field(
            "invalid_value",
            "input",
            format!("No tool output found for {kind} {id}."),
        )),
        None => Ok(()),
    }
}
