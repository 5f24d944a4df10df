//! Reads request bodies of Messages.

use serde_json::Value;

use crate::answer::tokens;
use crate::call::{AnswerShape, ModelCall, SimToolResult};
use crate::scenario::ScenarioEndpoint;

/// Converts a body into a call.
pub(super) fn call(endpoint: ScenarioEndpoint, body: &Value, headers: Vec<String>) -> ModelCall {
    let mut call = ModelCall::empty(endpoint, headers);
    let messages: Vec<&Value> = list(body, "messages").collect();
    let newest = messages
        .iter()
        .rposition(|message| text(message, "role") == "assistant")
        .map_or(0, |answered| answered + 1);
    let (before, now) = messages.split_at(newest);
    let is_system = |message: &&&Value| text(message, "role") == "system";
    let said = |texts: Vec<String>| texts.join("\n");
    call.model = text(body, "model").to_owned();
    call.prompt = said(
        now.iter()
            .filter(|message| !is_system(message))
            .map(|message| text_of(message.get("content")))
            .collect(),
    );
    call.history = said(
        before
            .iter()
            .map(|message| text_of(message.get("content")))
            .collect(),
    );
    let system = std::iter::once(text_of(body.get("system")));
    let later = messages.iter().filter(is_system);
    call.system = said(
        system
            .chain(later.map(|message| text_of(message.get("content"))))
            .filter(|text| !text.is_empty())
            .collect(),
    );
    call.tools = list(body, "tools")
        .map(|tool| text(tool, "name").to_owned())
        .collect();
    call.results = now
        .iter()
        .flat_map(|message| list(message, "content"))
        .filter(|block| text(block, "type") == "tool_result")
        .map(|result| SimToolResult {
            tool: tool_of(before, text(result, "tool_use_id")),
            text: text_of(result.get("content")),
        })
        .collect();
    call.stream = body.get("stream") == Some(&Value::Bool(true));
    call.chained = newest > 0;
    call.shape = shape(body);
    let thinking = body.pointer("/thinking/type").and_then(Value::as_str);
    let hidden = body.pointer("/thinking/display").and_then(Value::as_str) == Some("omitted");
    call.wants_thoughts = matches!(thinking, Some("enabled" | "adaptive")) && !hidden;
    call.max_output = body.get("max_tokens").and_then(Value::as_u64);
    call.input_tokens = content_tokens(body.get("system"))
        + messages
            .iter()
            .map(|message| content_tokens(message.get("content")))
            .sum::<u64>()
        + body.get("tools").map_or(0, tokens::of_json);
    call
}

/// Returns the tool that was called with an id.
fn tool_of(before: &[&Value], id: &str) -> String {
    let blocks = before.iter().flat_map(|message| list(message, "content"));
    let mut calls = blocks.filter(|block| text(block, "type") == "tool_use" && text(block, "id") == id);
    calls
        .next()
        .map(|call| text(call, "name").to_owned())
        .unwrap_or_default()
}

/// Returns the text of a content, which is a string or a list of blocks.
fn text_of(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(blocks)) => {
            let texts: Vec<String> = blocks.iter().map(block_text).collect();
            texts.join("\n")
        }
        _ => String::new(),
    }
}

fn block_text(block: &Value) -> String {
    match text(block, "type") {
        "tool_result" => text_of(block.get("content")),
        "tool_use" => format!("{} {}", text(block, "name"), block["input"]),
        _ => text(block, "text").to_owned(),
    }
}

fn content_tokens(content: Option<&Value>) -> u64 {
    match content {
        Some(Value::String(text)) => tokens::of_text(text),
        Some(Value::Array(blocks)) => blocks.iter().map(block_tokens).sum(),
        _ => 0,
    }
}

fn block_tokens(block: &Value) -> u64 {
    match text(block, "type") {
        "text" => tokens::of_text(text(block, "text")),
        "tool_use" => tokens::of_text(text(block, "name")) + block.get("input").map_or(0, tokens::of_json),
        "tool_result" => content_tokens(block.get("content")),
        // Thoughts of earlier turns are not counted again.
        "thinking" | "redacted_thinking" => 0,
        _ => tokens::MEDIA,
    }
}

fn shape(body: &Value) -> AnswerShape {
    let format = body
        .pointer("/output_config/format")
        .or_else(|| body.get("output_format"));
    match format.and_then(|format| format.get("schema")) {
        Some(schema) => AnswerShape::Schema(schema.clone()),
        None => AnswerShape::Text,
    }
}

pub(super) fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn list<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    value.get(name).and_then(Value::as_array).into_iter().flatten()
}
