//! Reads and checks request bodies of chat completions.

use serde_json::Value;

use crate::answer::tokens;
use crate::call::{AnswerShape, ModelCall, SimToolResult};
use crate::scenario::ScenarioEndpoint;
use crate::server::SimulatedRefusal;

const ROLES: &[&str] = &["system", "developer", "user", "assistant", "tool", "function"];

/// Converts a body into a call.
pub(crate) fn call(body: &Value, headers: Vec<String>) -> ModelCall {
    let mut call = ModelCall::empty(ScenarioEndpoint::ChatCompletions, headers);
    let has_role = |message: &&Value, roles: &[&str]| roles.contains(&role(message));
    let newest = messages(body)
        .rposition(|message| role(message) == "assistant")
        .map_or(0, |answered| answered + 1);
    let said = |texts: Vec<String>| texts.join("\n");
    call.model = text(body, "model").to_owned();
    call.prompt = said(
        messages(body)
            .skip(newest)
            .filter(|message| has_role(message, &["user", "tool", "function"]))
            .map(text_of)
            .collect(),
    );
    call.system = said(
        messages(body)
            .filter(|message| has_role(message, &["system", "developer"]))
            .map(text_of)
            .collect(),
    );
    call.history = said(
        messages(body)
            .take(newest)
            .filter(|message| !has_role(message, &["system", "developer"]))
            .map(|message| {
                said(
                    std::iter::once(text_of(message))
                        .chain(calls_of(message))
                        .collect(),
                )
            })
            .collect(),
    );
    call.tools = list(body, "tools")
        .map(|tool| text(&tool["function"], "name").to_owned())
        .collect();
    call.results = messages(body)
        .skip(newest)
        .filter(|message| has_role(message, &["tool", "function"]))
        .map(|message| SimToolResult {
            tool: tool_of(body, message),
            text: text_of(message),
        })
        .collect();
    call.stream = body.get("stream") == Some(&Value::Bool(true));
    call.chained = newest > 0;
    call.shape = shape(body);
    // Servers with visible reasoning send it without being asked.
    call.wants_thoughts = true;
    call.max_output = ["max_completion_tokens", "max_tokens"]
        .iter()
        .find_map(|name| body.get(name).and_then(Value::as_u64));
    call.input_tokens =
        messages(body).map(message_tokens).sum::<u64>() + body.get("tools").map_or(0, tokens::of_json);
    call
}

/// Checks a body like the service. Unknown fields are ignored, as by most servers.
pub(super) fn check(body: &Value) -> Result<(), SimulatedRefusal> {
    if text(body, "model").is_empty() {
        return Err(SimulatedRefusal::invalid("you must provide a model parameter"));
    }
    if !body.get("messages").is_some_and(Value::is_array) {
        return Err(SimulatedRefusal::invalid(
            "Missing required parameter: 'messages'.",
        ));
    }
    if messages(body).next().is_none() {
        return Err(SimulatedRefusal::invalid(
            "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
        ));
    }
    for (idx, message) in messages(body).enumerate() {
        if !ROLES.contains(&role(message)) {
            return Err(SimulatedRefusal::invalid(format!(
                "Invalid value: '{}' at 'messages[{idx}].role'. Supported values are: 'system', 'assistant', 'user', 'tool', and 'developer'.",
                role(message)
            )));
        }
    }
    let streams = body.get("stream") == Some(&Value::Bool(true));
    if !streams && body.get("stream_options").is_some_and(Value::is_object) {
        return Err(SimulatedRefusal::invalid(
            "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
        ));
    }
    match body.get("response_format").map(|format| text(format, "type")) {
        None | Some("text" | "json_object") => Ok(()),
        Some("json_schema") if body.pointer("/response_format/json_schema/name").is_some() => Ok(()),
        Some("json_schema") => Err(SimulatedRefusal::invalid(
            "Missing required parameter: 'response_format.json_schema.name'.",
        )),
        Some(other) => Err(SimulatedRefusal::invalid(format!(
            "Invalid value: '{other}' at 'response_format.type'. Supported values are: 'json_object', 'json_schema', and 'text'."
        ))),
    }
}

/// Returns true if the stream should end with the usage.
pub(super) fn wants_usage(body: &Value) -> bool {
    body.pointer("/stream_options/include_usage") == Some(&Value::Bool(true))
}

fn messages(body: &Value) -> std::slice::Iter<'_, Value> {
    let list = body.get("messages").and_then(Value::as_array);
    list.map_or([].iter(), |list| list.iter())
}

fn list<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    value.get(name).and_then(Value::as_array).into_iter().flatten()
}

/// Returns the calls in a message: name and arguments.
fn calls_of(message: &Value) -> impl Iterator<Item = String> {
    let functions = list(message, "tool_calls").map(|call| &call["function"]);
    functions.map(|function| format!("{} {}", text(function, "name"), text(function, "arguments")))
}

/// Returns the tool of a tool result.
fn tool_of(body: &Value, result: &Value) -> String {
    let id = text(result, "tool_call_id");
    let mut calls = messages(body)
        .flat_map(|message| list(message, "tool_calls"))
        .filter(|call| text(call, "id") == id);
    let called = calls.next().map(|call| text(&call["function"], "name"));
    // The older format names the function.
    called.unwrap_or_else(|| text(result, "name")).to_owned()
}

fn role(message: &Value) -> &str {
    text(message, "role")
}

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Returns the text of a message, whose content is a string or a list of parts.
fn text_of(message: &Value) -> String {
    match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let texts: Vec<&str> = parts.iter().map(|part| text(part, "text")).collect();
            texts.join("\n")
        }
        _ => String::new(),
    }
}

fn message_tokens(message: &Value) -> u64 {
    let content = match message.get("content") {
        Some(Value::String(text)) => tokens::of_text(text),
        Some(Value::Array(parts)) => parts
            .iter()
            .map(|part| match part.get("text").and_then(Value::as_str) {
                Some(text) => tokens::of_text(text),
                None => tokens::MEDIA,
            })
            .sum(),
        _ => 0,
    };
    content + message.get("tool_calls").map_or(0, tokens::of_json)
}

fn shape(body: &Value) -> AnswerShape {
    let Some(format) = body.get("response_format") else {
        return AnswerShape::Text;
    };
    match (text(format, "type"), format.pointer("/json_schema/schema")) {
        ("json_schema", Some(schema)) => AnswerShape::Schema(schema.clone()),
        ("json_schema" | "json_object", _) => AnswerShape::Json,
        _ => AnswerShape::Text,
    }
}
