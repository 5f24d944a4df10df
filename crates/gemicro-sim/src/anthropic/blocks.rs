//! Rejects invalid lists of messages like the service: roles, contents, and calls without results.

use serde_json::Value;

use super::request::{list, text};
use crate::server::SimulatedRefusal;

/// Kinds of content, and the roles that may send them.
const KINDS: &[(&str, &[&str])] = &[
    ("text", &["user", "assistant", "system"]),
    ("image", &["user"]),
    ("document", &["user"]),
    ("search_result", &["user"]),
    ("container_upload", &["user"]),
    ("tool_result", &["user"]),
    ("tool_use", &["assistant"]),
    ("thinking", &["assistant"]),
    ("redacted_thinking", &["assistant"]),
    ("fallback", &["assistant"]),
    ("compaction", &["user", "assistant"]),
    ("server_tool_use", &["assistant"]),
    ("mcp_tool_use", &["assistant"]),
    ("mcp_tool_result", &["user", "assistant"]),
];
/// Suffix of the result types of built-in tools.
const OWN_RESULT: &str = "_tool_result";
/// The beta that allows system messages between the others.
const SYSTEM_TURNS: &str = "mid-conversation-system";

pub(super) fn check(messages: &[Value], betas: &str) -> Result<(), SimulatedRefusal> {
    if messages.is_empty() {
        return Err(SimulatedRefusal::invalid(
            "messages: at least one message is required",
        ));
    }
    let system = betas.contains(SYSTEM_TURNS);
    for (idx, message) in messages.iter().enumerate() {
        let is_last = idx + 1 == messages.len();
        match text(message, "role") {
            "user" | "assistant" => {}
            "system" if system => {}
            _ => {
                return Err(SimulatedRefusal::invalid(format!(
                    "messages.{idx}.role: Input should be 'user' or 'assistant'"
                )));
            }
        }
        contents(message, idx, is_last)?;
    }
    if text(&messages[0], "role") != "user" {
        return Err(SimulatedRefusal::invalid(
            "messages: first message must use the \"user\" role",
        ));
    }
    calls(messages)
}

fn contents(message: &Value, idx: usize, is_last: bool) -> Result<(), SimulatedRefusal> {
    let role = text(message, "role");
    let empty = match message.get("content") {
        None => {
            return Err(SimulatedRefusal::invalid(format!(
                "messages.{idx}.content: Field required"
            )));
        }
        Some(Value::String(text)) => text.is_empty(),
        Some(Value::Array(blocks)) => {
            for (block_idx, block) in blocks.iter().enumerate() {
                content(block, role, &format!("messages.{idx}.content.{block_idx}"))?;
            }
            blocks.is_empty()
        }
        Some(_) => {
            return Err(SimulatedRefusal::invalid(format!(
                "messages.{idx}.content: Input should be a valid list"
            )));
        }
    };
    if empty && !(is_last && role == "assistant") {
        return Err(SimulatedRefusal::invalid(format!(
            "messages.{idx}: all messages must have non-empty content except for the optional final assistant message"
        )));
    }
    Ok(())
}

fn content(block: &Value, role: &str, place: &str) -> Result<(), SimulatedRefusal> {
    let kind = text(block, "type");
    if kind.is_empty() {
        return Err(SimulatedRefusal::invalid(format!("{place}.type: Field required")));
    }
    let roles = match KINDS.iter().find(|(known, _)| *known == kind) {
        Some((_, roles)) => *roles,
        None if kind.ends_with(OWN_RESULT) => &["user", "assistant"],
        None => {
            let known: Vec<String> = KINDS.iter().map(|(known, _)| format!("'{known}'")).collect();
            return Err(SimulatedRefusal::invalid(format!(
                "{place}: Input tag '{kind}' found using 'type' does not match any of the expected tags: {}",
                known.join(", ")
            )));
        }
    };
    if !roles.contains(&role) {
        return Err(SimulatedRefusal::invalid(format!(
            "{place}: `{kind}` blocks are not permitted in `{role}` messages"
        )));
    }
    let needed: &[&str] = match kind {
        "text" => &["text"],
        "tool_use" => &["id", "name", "input"],
        "tool_result" => &["tool_use_id"],
        "thinking" => &["thinking", "signature"],
        "image" | "document" => &["source"],
        _ => &[],
    };
    for name in needed {
        if block.get(name).is_none() {
            return Err(SimulatedRefusal::invalid(format!(
                "{place}.{kind}.{name}: Field required"
            )));
        }
    }
    if kind == "text" && text(block, "text").is_empty() {
        return Err(SimulatedRefusal::invalid(
            "messages: text content blocks must be non-empty",
        ));
    }
    if kind == "tool_use" && !block["input"].is_object() {
        return Err(SimulatedRefusal::invalid(format!(
            "{place}.tool_use.input: Input should be a valid dictionary"
        )));
    }
    Ok(())
}

/// Checks that each call has its result in the next turn, and each result its call in the previous turn. Consecutive
/// messages of the same role are one turn; system messages are ignored.
fn calls(messages: &[Value]) -> Result<(), SimulatedRefusal> {
    let mut open: Vec<&str> = Vec::new();
    let mut turn = "";
    let mut called_at = 0;
    for (idx, message) in messages.iter().enumerate() {
        let role = text(message, "role");
        if role == "system" {
            continue;
        }
        if role == "assistant" {
            if turn == "user" {
                check_results_given(&open, called_at)?;
            }
            let calls = list(message, "content").filter(|block| text(block, "type") == "tool_use");
            let n_open = open.len();
            open.extend(calls.map(|call| text(call, "id")));
            if open.len() > n_open {
                called_at = idx;
            }
        }
        for (block_idx, block) in list(message, "content").enumerate() {
            if text(block, "type") != "tool_result" {
                continue;
            }
            let id = text(block, "tool_use_id");
            let Some(place) = open.iter().position(|known| *known == id) else {
                return Err(SimulatedRefusal::invalid(format!(
                    "messages.{idx}.content.{block_idx}: unexpected `tool_use_id` found in `tool_result` blocks: {id}. \
                     Each `tool_result` block must have a corresponding `tool_use` block in the previous message."
                )));
            };
            open.remove(place);
        }
        turn = role;
    }
    check_results_given(&open, called_at)
}

fn check_results_given(open: &[&str], idx: usize) -> Result<(), SimulatedRefusal> {
    if open.is_empty() {
        return Ok(());
    }
    Err(SimulatedRefusal::invalid(format!(
        "messages.{idx}: `tool_use` ids were found without `tool_result` blocks immediately after: {}. \
         Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
        open.join(", ")
    )))
}
