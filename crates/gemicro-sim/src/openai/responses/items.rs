//! Formats answers as complete responses: items, status, usage.

use serde_json::{Value, json};

use super::request::{text, tools};
use crate::answer::{AnswerPart, Finish, GeneratedAnswer, SIGNATURE, Usage};
use crate::scenario::CitedSpan;

/// Fields of a response besides the answer.
pub(super) struct ResponseHeading<'r> {
    /// Makes the ids unique.
    pub(super) number: u64,
    pub(super) created_at: u64,
    pub(super) request: &'r Value,
}

impl ResponseHeading<'_> {
    pub(super) fn id(&self) -> String {
        format!("resp_sim{:06}", self.number)
    }
}

/// Request fields that a response repeats, and their defaults.
const ECHOED: &[(&str, &str)] = &[
    ("instructions", "null"),
    ("max_output_tokens", "null"),
    ("max_tool_calls", "null"),
    ("metadata", "{}"),
    ("parallel_tool_calls", "true"),
    ("previous_response_id", "null"),
    ("prompt_cache_key", "null"),
    ("reasoning", r#"{"effort":null,"summary":null}"#),
    ("safety_identifier", "null"),
    ("service_tier", r#""default""#),
    ("store", "true"),
    ("temperature", "1.0"),
    ("text", r#"{"format":{"type":"text"}}"#),
    ("tool_choice", r#""auto""#),
    ("tools", "[]"),
    ("top_p", "1.0"),
    ("truncation", r#""disabled""#),
    ("user", "null"),
];

pub(super) fn whole(answer: &GeneratedAnswer, output: &[Value], heading: &ResponseHeading<'_>) -> Value {
    let mut response = shell(heading, status(&answer.finish));
    response["output"] = Value::Array(output.to_vec());
    match &answer.finish {
        Finish::MaxTokens => response["incomplete_details"] = json!({"reason": "max_output_tokens"}),
        Finish::AnswerBlocked { .. } => response["incomplete_details"] = json!({"reason": "content_filter"}),
        Finish::Failed { code, message, .. } => {
            let code = if code == "internal" { "server_error" } else { code };
            response["error"] = json!({"code": code, "message": message});
        }
        Finish::Complete | Finish::NeedsAction | Finish::PromptBlocked { .. } | Finish::Named(_) => {}
    }
    response["usage"] = usage(&answer.usage);
    response
}

/// Returns the response without output.
pub(super) fn shell(heading: &ResponseHeading<'_>, status: &str) -> Value {
    let mut response = json!({
        "id": heading.id(),
        "object": "response",
        "created_at": heading.created_at,
        "status": status,
        "background": false,
        "error": null,
        "incomplete_details": null,
        "model": heading.request["model"],
        "output": [],
        "usage": null,
    });
    for (name, default) in ECHOED {
        response[*name] = match heading.request.get(name) {
            Some(given) if !given.is_null() => given.clone(),
            _ => serde_json::from_str(default).unwrap_or_default(),
        };
    }
    response
}

/// Returns the items of the answer.
pub(super) fn items(answer: &GeneratedAnswer, heading: &ResponseHeading<'_>) -> Vec<Value> {
    let mut items = Vec::new();
    for part in &answer.parts {
        let id = |prefix: &str| format!("{prefix}_sim{:06}_{}", heading.number, items.len());
        let item = match part {
            AnswerPart::Thought { summary } => {
                let summary: Vec<Value> = summary
                    .iter()
                    .map(|text| json!({"type": "summary_text", "text": text}))
                    .collect();
                let mut item = json!({"id": id("rs"), "type": "reasoning", "summary": summary});
                if wants_encrypted(heading.request) {
                    item["encrypted_content"] = json!(SIGNATURE);
                }
                item
            }
            AnswerPart::Search { queries, .. } => json!({
                "id": id("ws"),
                "type": "web_search_call",
                "status": "completed",
                "action": {"type": "search", "query": queries.first(), "queries": queries},
            }),
            AnswerPart::Text { text, .. } if text.is_empty() => continue,
            AnswerPart::Text { text, citations } => json!({
                "id": id("msg"),
                "type": "message",
                "status": "completed",
                "role": "assistant",
                "content": [{
                    "type": "output_text",
                    "annotations": annotations(text, citations),
                    "logprobs": [],
                    "text": text,
                }],
            }),
            AnswerPart::Call { name, arguments } if takes_text(heading.request, name) => json!({
                "id": id("ctc"),
                "type": "custom_tool_call",
                "status": "completed",
                "call_id": id("call"),
                "name": name,
                "input": arguments.get("input").and_then(Value::as_str).unwrap_or_default(),
            }),
            AnswerPart::Call { name, arguments } => {
                let mut item = json!({
                    "id": id("fc"),
                    "type": "function_call",
                    "status": "completed",
                    "call_id": id("call"),
                    "name": name,
                    "arguments": arguments.to_string(),
                });
                // Function names contain no slash, so a slash separates a namespace.
                if let Some((namespace, name)) = name.split_once('/') {
                    item["namespace"] = json!(namespace);
                    item["name"] = json!(name);
                }
                item
            }
        };
        items.push(item);
    }
    items
}

/// Returns true if a tool takes free text instead of arguments.
fn takes_text(request: &Value, name: &str) -> bool {
    tools(request).any(|tool| text(tool, "type") == "custom" && text(tool, "name") == name)
}

fn wants_encrypted(request: &Value) -> bool {
    let included = request.get("include").and_then(Value::as_array);
    included.is_some_and(|names| names.contains(&json!("reasoning.encrypted_content")))
}

/// Returns the citations of a text; offsets are in characters.
fn annotations(text: &str, citations: &[CitedSpan]) -> Vec<Value> {
    let characters = |bytes: usize| text[..bytes].chars().count();
    citations
        .iter()
        .map(|citation| {
            json!({
                "type": "url_citation",
                "url": citation.url,
                "title": citation.title,
                "start_index": characters(citation.start),
                "end_index": characters(citation.end),
            })
        })
        .collect()
}

/// `usage`. Thoughts count as part of the output.
fn usage(usage: &Usage) -> Value {
    let input = usage.input + usage.tool_use;
    let output = usage.output + usage.thought;
    json!({
        "input_tokens": input,
        "input_tokens_details": {"cached_tokens": usage.cached},
        "output_tokens": output,
        "output_tokens_details": {"reasoning_tokens": usage.thought},
        "total_tokens": input + output,
    })
}

pub(super) fn status(finish: &Finish) -> &str {
    match finish {
        Finish::Complete | Finish::NeedsAction => "completed",
        Finish::MaxTokens | Finish::AnswerBlocked { .. } => "incomplete",
        Finish::PromptBlocked { .. } | Finish::Failed { .. } => "failed",
        Finish::Named(name) => name,
    }
}
