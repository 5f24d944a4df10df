//! Reads request bodies of Responses.

use serde_json::{Value, json};

use crate::answer::tokens;
use crate::call::{AnswerShape, ModelCall, SimToolResult};
use crate::scenario::ScenarioEndpoint;

/// Converts a body into a call. `before` holds the items of the responses it continues.
pub(crate) fn call(body: &Value, before: &[Value], headers: Vec<String>) -> ModelCall {
    let mut call = ModelCall::empty(ScenarioEndpoint::Responses, headers);
    let items = items(body, before);
    let newest = items
        .iter()
        .rposition(is_of_model)
        .map_or(0, |answered| answered + 1);
    let (history, now) = items.split_at(newest);
    let is_system = |item: &&Value| matches!(text(item, "role"), "system" | "developer");
    let said = |texts: Vec<String>| texts.join("\n");
    call.model = text(body, "model").to_owned();
    call.prompt = said(now.iter().filter(|item| !is_system(item)).map(text_of).collect());
    call.history = said(
        history
            .iter()
            .filter(|item| !is_system(item))
            .map(text_of)
            .collect(),
    );
    let instructions = std::iter::once(text(body, "instructions").to_owned());
    call.system = said(
        instructions
            .chain(items.iter().filter(is_system).map(text_of))
            .filter(|text| !text.is_empty())
            .collect(),
    );
    call.tools = tools(body).map(|tool| text(tool, "name").to_owned()).collect();
    call.results = now
        .iter()
        .filter(|item| is_result(item))
        .map(|result| SimToolResult {
            tool: tool_of(history, text(result, "call_id")),
            text: text_of(result),
        })
        .collect();
    call.stream = body.get("stream") == Some(&Value::Bool(true));
    call.chained = newest > 0;
    call.shape = shape(body);
    call.wants_thoughts = body.pointer("/reasoning/summary").is_some_and(Value::is_string);
    call.max_output = body.get("max_output_tokens").and_then(Value::as_u64);
    call.input_tokens = tokens::of_text(text(body, "instructions"))
        + items.iter().map(item_tokens).sum::<u64>()
        + body.get("tools").map_or(0, tokens::of_json);
    call
}

/// Returns all items of the conversation; plain text is a user message.
pub(super) fn items(body: &Value, before: &[Value]) -> Vec<Value> {
    let mut items = before.to_vec();
    match body.get("input") {
        Some(Value::String(text)) => {
            items.push(json!({"type": "message", "role": "user", "content": text}));
        }
        Some(Value::Array(given)) => items.extend(given.iter().cloned()),
        _ => {}
    }
    items
}

/// Returns the tools, including those in namespaces.
pub(super) fn tools(body: &Value) -> impl Iterator<Item = &Value> {
    let added = list(body, "input").filter(|item| kind(item) == "additional_tools");
    let groups = std::iter::once(body).chain(added);
    let tools = groups.flat_map(|group| list(group, "tools"));
    tools.flat_map(|tool| std::iter::once(tool).chain(list(tool, "tools")))
}

/// Returns the kind of an item; a message may omit it.
pub(super) fn kind(item: &Value) -> &str {
    match text(item, "type") {
        "" if item.get("role").is_some() => "message",
        kind => kind,
    }
}

pub(super) fn is_result(item: &Value) -> bool {
    kind(item).ends_with("_call_output")
}

pub(super) fn is_of_model(item: &Value) -> bool {
    match kind(item) {
        "message" => text(item, "role") == "assistant",
        "item_reference" | "compaction" => false,
        _ => !is_result(item),
    }
}

/// Returns the tool that was called with an id.
fn tool_of(history: &[Value], call_id: &str) -> String {
    let mut calls = history
        .iter()
        .filter(|item| !is_result(item) && text(item, "call_id") == call_id);
    let name = calls.next().map(|call| text(call, "name").to_owned());
    name.unwrap_or_default()
}

/// Returns the text of an item; for a call, its name and input.
fn text_of(item: &Value) -> String {
    let all = |value: Option<&Value>| match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let texts: Vec<&str> = parts.iter().map(|part| text(part, "text")).collect();
            texts.join("\n")
        }
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    };
    match kind(item) {
        _ if is_result(item) => all(item.get("output")),
        "function_call" => format!("{} {}", text(item, "name"), text(item, "arguments")),
        "custom_tool_call" => format!("{} {}", text(item, "name"), text(item, "input")),
        _ => all(item.get("content")),
    }
}

fn item_tokens(item: &Value) -> u64 {
    match item.get("content") {
        Some(Value::Array(parts)) => parts
            .iter()
            .map(|part| match part.get("text").and_then(Value::as_str) {
                Some(text) => tokens::of_text(text),
                None => tokens::MEDIA,
            })
            .sum(),
        _ => tokens::of_text(&text_of(item)),
    }
}

fn shape(body: &Value) -> AnswerShape {
    let Some(format) = body.pointer("/text/format") else {
        return AnswerShape::Text;
    };
    match (text(format, "type"), format.get("schema")) {
        ("json_schema", Some(schema)) => AnswerShape::Schema(schema.clone()),
        ("json_schema" | "json_object", _) => AnswerShape::Json,
        _ => AnswerShape::Text,
    }
}

pub(super) fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn list<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    value.get(name).and_then(Value::as_array).into_iter().flatten()
}
