//! The dialect of OpenAI Responses.

use gemicro_event::Usage;
use serde_json::Value;

use super::openai::PICTURE_TOKENS;
use super::request_contents::MAX_KEYS;
use super::rules::{ReportedUsage, count, required_number};
use super::{AnswerFacts, RequestContents, WireDialect};
use crate::gateway::json::{Leaf, Pick, WantedPaths};

#[derive(Debug)]
pub(super) struct Responses;

const LIMIT: &[&str] = &["max_output_tokens"];

impl WireDialect for Responses {
    fn look(&self, path: &[&str], leaf: Leaf<'_>, asked: &mut RequestContents) {
        match tool_field(path) {
            Some(["type"]) => tool(leaf, asked),
            // Tools inside namespaces, deeper than paths are looked at.
            Some([]) if path.len() == MAX_KEYS => asked.provider_tool(),
            _ => {}
        }
        match path {
            ["model"] => asked.state_model(leaf),
            ["max_output_tokens"] => asked.state_limit(LIMIT, leaf),
            ["stream"] => asked.streams = leaf == Leaf::Bool(true),
            ["service_tier"] => asked.tier(leaf),
            ["previous_response_id" | "conversation" | "prompt"] => asked.not_in_body(leaf),
            ["input", "type"] => item(leaf, asked),
            ["input", "content" | "output" | "summary", "type"] => content(leaf, asked),
            ["input", "content" | "output", "image_url"] => {
                if let Leaf::Text(url) = leaf
                    && url.starts_with("data:image/")
                {
                    asked.media(url);
                }
            }
            [
                "input",
                "content" | "output",
                "file_id" | "file_url" | "file_data",
            ] => asked.not_in_body(leaf),
            _ => {}
        }
    }

    fn is_tool_data(&self, path: &[&str]) -> bool {
        matches!(path, ["tools", ..] | ["input", "tools", ..]) && path.contains(&"parameters")
    }

    fn limit_field(&self, _model: &str) -> &'static [&'static str] {
        LIMIT
    }

    fn fact_paths(&self) -> WantedPaths {
        &[&["type"], &["response", "usage"], &["usage"], &["status"]]
    }

    fn read_facts(&self, picks: &[Pick], seen: &mut AnswerFacts) {
        let said = |path: &[&str], words: &[&str]| {
            let mut at_path = picks.iter().filter(|pick| pick.path == path);
            at_path.any(|pick| pick.text().is_some_and(|text| words.contains(&text.as_str())))
        };
        seen.goes_on |= said(&["status"], &["queued", "in_progress"]);
        let ends = ["response.completed", "response.incomplete", "response.failed"];
        seen.ending |= said(&["type"], &ends);
        let usage = picks.iter().filter(|pick| pick.path.ends_with(&["usage"]));
        usage.for_each(|pick| seen.hear(pick, read));
    }
}

/// The path of a field within a tool. Codex sends its tools beside the input, or as an item of it
/// (`additional_tools`); a namespace contains further tools.
fn tool_field<'p>(path: &'p [&'p str]) -> Option<&'p [&'p str]> {
    let path = path.strip_prefix(&["input"]).unwrap_or(path);
    let depth = path.iter().take_while(|key| **key == "tools").count();
    (depth > 0).then(|| &path[depth..])
}

/// A tool.
fn tool(leaf: Leaf<'_>, asked: &mut RequestContents) {
    match leaf {
        Leaf::Text("function" | "custom" | "local_shell" | "apply_patch" | "namespace" | "tool_search") => {}
        _ => asked.provider_tool(),
    }
}

/// An item of the conversation.
fn item(leaf: Leaf<'_>, asked: &mut RequestContents) {
    let Leaf::Text(kind) = leaf else { return };
    let is_text = matches!(
        kind,
        "message" | "reasoning" | "compaction" | "compaction_summary" | "additional_tools"
    ) || [
        "function",
        "custom_tool",
        "local_shell",
        "shell",
        "apply_patch",
        "tool_search",
        "web_search",
    ]
    .iter()
    .any(|start| {
        let rest = kind.strip_prefix(start);
        matches!(rest, Some("_call" | "_call_output" | "_output"))
    });
    if !is_text {
        asked.whole_window = true;
    }
}

/// A piece of a message or of a tool's output.
fn content(leaf: Leaf<'_>, asked: &mut RequestContents) {
    match leaf {
        Leaf::Text("input_image") => asked.picture(PICTURE_TOKENS),
        Leaf::Text(kind) if kind.ends_with("_text") || kind == "text" || kind == "refusal" => {}
        // What a shell command printed comes as plain fields.
        Leaf::Text("exit" | "timeout") => {}
        _ => asked.whole_window = true,
    }
}

fn read(usage: &Value) -> Option<ReportedUsage> {
    Some(ReportedUsage {
        usage: Usage {
            input_tokens: required_number(usage, "/input_tokens")?,
            output_tokens: required_number(usage, "/output_tokens")?,
            cached_tokens: count(usage, "/input_tokens_details/cached_tokens")?,
            thought_tokens: count(usage, "/output_tokens_details/reasoning_tokens")?,
            ..Usage::default()
        },
        surcharge: 0,
    })
}
