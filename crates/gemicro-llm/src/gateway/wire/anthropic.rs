//! The Anthropic API: paths, key, errors, and the dialect of Messages.

use gemicro_event::Usage;
use hyper::Method;
use reqwest::header::{HeaderName, HeaderValue};
use serde_json::{Value, json};

use super::rules::{ReportedUsage, count, required_number};
use super::{AnswerFacts, GatewayRoute, RequestContents, WireDialect, WireRules, WireTask};
use crate::gateway::json::{Leaf, Pick, WantedPaths};
use crate::gateway::problem::GatewayProblem;

/// The most tokens of one picture.
const PICTURE_TOKENS: u64 = 8_192;
/// What the provider says to a model about a tool that it defines and the client runs.
const TOOL_TOKENS: u64 = 2_048;
/// The least that may be asked for as thinking.
const LEAST_THINKING: u64 = 1_024;

pub(super) struct Anthropic;

impl WireRules for Anthropic {
    fn route(&self, method: &Method, path: &[&str]) -> Option<GatewayRoute> {
        let (get, post) = (*method == Method::GET, *method == Method::POST);
        match path {
            [] if *method == Method::HEAD => Some(GatewayRoute {
                task: WireTask::Ping,
                ..GatewayRoute::free(path)
            }),
            ["v1", "messages"] if post => Some(GatewayRoute::generate(path, &Messages)),
            ["v1", "messages", "count_tokens"] if post => Some(GatewayRoute::count(path, &Messages)),
            ["v1", "models"] | ["v1", "models", _] if get => Some(GatewayRoute::free(path)),
            _ => None,
        }
    }

    fn query(&self) -> &'static [&'static str] {
        &["beta", "limit", "after_id", "before_id"]
    }

    fn passes(&self, header: &str) -> bool {
        header.starts_with("anthropic-") || header.starts_with("x-stainless-") || header == "x-app"
    }

    fn key_header(&self) -> HeaderName {
        HeaderName::from_static("x-api-key")
    }

    fn key_value(&self, key: &str) -> Option<HeaderValue> {
        HeaderValue::from_str(key).ok()
    }

    /// The CLI stops at once on 400; it repeats 408, 409, 429 and 5xx.
    fn error(&self, problem: &GatewayProblem) -> Value {
        let kind = match problem.status {
            400 | 405 | 415 => "invalid_request_error",
            401 => "authentication_error",
            403 => "permission_error",
            404 => "not_found_error",
            413 => "request_too_large",
            408 | 504 => "timeout_error",
            503 => "overloaded_error",
            _ => "api_error",
        };
        json!({ "type": "error", "error": { "type": kind, "message": problem.message } })
    }
}

#[derive(Debug)]
struct Messages;

const LIMIT: &[&str] = &["max_tokens"];

impl WireDialect for Messages {
    fn look(&self, path: &[&str], leaf: Leaf<'_>, asked: &mut RequestContents) {
        if path.last() == Some(&"cache_control") && leaf == Leaf::Object {
            asked.writes_cache = true;
        }
        match path {
            ["model"] => asked.state_model(leaf),
            ["max_tokens"] => asked.state_limit(LIMIT, leaf),
            ["stream"] => asked.streams = leaf == Leaf::Bool(true),
            ["service_tier"] | ["speed"] => asked.tier(leaf),
            ["inference_geo"] if leaf != Leaf::Null => asked.unpriced = Some("a place of inference"),
            ["thinking", "budget_tokens"] => {
                if let Leaf::Count(tokens) = leaf {
                    asked.thinking = Some(tokens);
                }
            }
            ["mcp_servers"] if !matches!(leaf, Leaf::Null | Leaf::List) => asked.provider_tool(),
            ["mcp_servers" | "container"] => asked.not_in_body(leaf),
            ["tools", "type"] => tool(leaf, asked),
            ["messages", "content", "input", ..] => {}
            ["messages", "content", "source", rest @ ..]
            | ["messages", "content", "content", "source", rest @ ..] => source(rest, leaf, asked),
            ["messages", "content", "type"]
            | ["messages", "content", "content", "type"]
            | ["system", "type"] => {
                content(leaf, asked);
            }
            _ => {}
        }
    }

    fn is_tool_data(&self, path: &[&str]) -> bool {
        matches!(
            path,
            ["messages", "content", "input", ..] | ["tools", "input_schema", ..]
        )
    }

    fn limit_field(&self, _model: &str) -> &'static [&'static str] {
        LIMIT
    }

    /// Thinking must stay below the limit, and may not be less than the least: else it is switched off.
    fn edits(&self, asked: &RequestContents, limit: Option<u64>) -> Vec<(&'static [&'static str], String)> {
        match (asked.thinking, limit) {
            (Some(thinking), Some(limit)) if thinking >= limit && limit > 2 * LEAST_THINKING => {
                vec![(&["thinking", "budget_tokens"], (limit / 2).to_string())]
            }
            (Some(thinking), Some(limit)) if thinking >= limit => {
                vec![(&["thinking"], r#"{"type":"disabled"}"#.to_owned())]
            }
            _ => Vec::new(),
        }
    }

    fn fact_paths(&self) -> WantedPaths {
        &[&["type"], &["usage"], &["message", "usage"]]
    }

    fn read_facts(&self, picks: &[Pick], seen: &mut AnswerFacts) {
        let said = |kind: &str| picks.iter().any(|pick| pick.text().as_deref() == Some(kind));
        seen.ending |= said("message_delta");
        let usage = picks.iter().filter(|pick| pick.path.ends_with(&["usage"]));
        usage.for_each(|pick| seen.hear(pick, read));
    }
}

/// A tool. Of those that the provider runs, only searches contact no server that a request names.
fn tool(leaf: Leaf<'_>, asked: &mut RequestContents) {
    const SEARCHES: [&str; 3] = ["tool_search_tool_regex", "tool_search_tool_bm25", "web_search"];
    const RUN_BY_CLIENT: [&str; 4] = ["bash", "text_editor", "computer", "memory"];
    match leaf {
        Leaf::Text("custom") | Leaf::Null => {}
        Leaf::Text(kind) if name_of(kind).is_some_and(|name| RUN_BY_CLIENT.contains(&name)) => {
            asked.picture(TOOL_TOKENS);
        }
        Leaf::Text(kind) if SEARCHES.contains(&name_of(kind).unwrap_or(kind)) => {
            asked.whole_window = true;
        }
        _ => asked.provider_tool(),
    }
}

/// The name in a dated type of a tool: `bash` in `bash_20250124`. The provider runs `bash_code_execution_20250825`.
fn name_of(kind: &str) -> Option<&str> {
    let (name, date) = kind.rsplit_once('_')?;
    let is_date = date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit());
    is_date.then_some(name)
}

/// A block of content.
fn content(leaf: Leaf<'_>, asked: &mut RequestContents) {
    let Leaf::Text(kind) = leaf else { return };
    match kind {
        "image" => asked.picture(PICTURE_TOKENS),
        // What a document holds is told by its source.
        "text" | "thinking" | "redacted_thinking" | "tool_use" | "tool_result" | "document"
        | "server_tool_use" | "search_result" | "web_search_result" | "tool_reference" | "compaction" => {}
        _ if kind.ends_with("_tool_result") => {}
        _ => asked.whole_window = true,
    }
}

/// Where a picture or document comes from.
fn source(path: &[&str], leaf: Leaf<'_>, asked: &mut RequestContents) {
    match (path, leaf) {
        (["media_type"], Leaf::Text(mime)) => asked.medium(mime, 0),
        (["data"], Leaf::Text(data)) => asked.media(data),
        (["type"], Leaf::Text("base64")) | ([], _) => {}
        // Its data is plain text.
        (["type"], Leaf::Text("text" | "content")) => asked.media_is_text = true,
        (["type"], _) => asked.whole_window = true,
        (["content", "type"], _) => content(leaf, asked),
        _ => {}
    }
}

fn read(usage: &Value) -> Option<ReportedUsage> {
    let fresh = count(usage, "/input_tokens")?;
    let written = count(usage, "/cache_creation_input_tokens")?;
    let cached = count(usage, "/cache_read_input_tokens")?;
    let written_for_an_hour = count(usage, "/cache_creation/ephemeral_1h_input_tokens")?.min(written);
    Some(ReportedUsage {
        usage: Usage {
            input_tokens: fresh.saturating_add(written).saturating_add(cached),
            output_tokens: required_number(usage, "/output_tokens")?,
            cached_tokens: cached,
            ..Usage::default()
        },
        // A quarter more than plain input for five minutes, twice as much for an hour.
        surcharge: written_for_an_hour.saturating_add((written - written_for_an_hour).div_ceil(4)),
    })
}
