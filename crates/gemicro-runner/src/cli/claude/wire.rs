//! The JSON lines of Claude Code, as far as they are read.

use gemicro_event::{Json, Usage};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::item::{EndClaim, TurnEnd};
use crate::session::SessionId;

#[derive(Deserialize)]
pub(super) struct System {
    pub(super) subtype: String,
}

#[derive(Deserialize)]
pub(super) struct ClaudeInit {
    pub(super) session_id: SessionId,
    pub(super) model: Option<String>,
    pub(super) claude_code_version: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct ApiRetry {
    pub(super) attempt: Option<u64>,
    pub(super) error_status: Option<u16>,
    pub(super) error: Option<String>,
}

/// A line of type `assistant` or `user`.
#[derive(Deserialize)]
pub(super) struct ClaudeTurn {
    pub(super) message: ClaudeMessage,
    pub(super) parent_tool_use_id: Option<String>,
    /// Set when the text is an error that the CLI made up itself.
    pub(super) error: Option<Json>,
}

#[derive(Deserialize)]
pub(super) struct ClaudeMessage {
    /// A text or a list of blocks.
    pub(super) content: Json,
}

impl ClaudeMessage {
    /// The blocks; a bare text is one block.
    pub(super) fn blocks(&self) -> Option<Vec<MessageBlock>> {
        match self.content.as_str() {
            Some(text) => Some(vec![MessageBlock {
                kind: "text".to_owned(),
                text: Some(text.to_owned()),
                ..MessageBlock::default()
            }]),
            None => self.content.parse().ok(),
        }
    }
}

/// A block of a message; which fields are there depends on its type.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct MessageBlock {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) text: Option<String>,
    pub(super) thinking: Option<String>,
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) input: Option<Json>,
    pub(super) tool_use_id: Option<String>,
    pub(super) content: Option<Json>,
    pub(super) is_error: Option<bool>,
}

impl MessageBlock {
    /// What a tool answered: a text, or the texts of its blocks.
    pub(super) fn output(&self) -> Option<String> {
        let content = self.content.as_ref()?;
        if let Some(text) = content.as_str() {
            return Some(text.to_owned());
        }
        let texts: Vec<&str> = content
            .as_array()?
            .iter()
            .filter_map(|block| block.get("text")?.as_str())
            .collect();
        Some(texts.join("\n"))
    }
}

#[derive(Deserialize)]
pub(super) struct StreamEvent {
    pub(super) event: SseEvent,
    pub(super) parent_tool_use_id: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct SseEvent {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) delta: Option<ClaudeDelta>,
}

#[derive(Deserialize)]
pub(super) struct ClaudeDelta {
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    pub(super) text: Option<String>,
    pub(super) thinking: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct ResultMessage {
    subtype: String,
    #[serde(default)]
    is_error: bool,
    api_error_status: Option<u16>,
    num_turns: Option<u64>,
    result: Option<String>,
    total_cost_usd: Option<f64>,
    usage: Option<ClaudeTokens>,
    #[serde(default)]
    permission_denials: Vec<Json>,
    terminal_reason: Option<String>,
    stop_reason: Option<String>,
    #[serde(default)]
    errors: Vec<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ClaudeTokens {
    input_tokens: u64,
    cache_creation_input_tokens: u64,
    cache_read_input_tokens: u64,
    output_tokens: u64,
}

impl ResultMessage {
    /// What was told of it, in our words. A failure can call itself `success` and only be marked as an error.
    pub(super) fn turn_end(self) -> TurnEnd {
        let is_success = self.subtype == "success" && !self.is_error;
        // A cut or refused answer is still a success to the CLI.
        let cut = self
            .stop_reason
            .filter(|reason| is_success && ["max_tokens", "refusal"].contains(&reason.as_str()));
        let claim = if is_success && cut.is_none() {
            EndClaim::Success
        } else {
            EndClaim::Failure
        };
        let aborted = self
            .terminal_reason
            .filter(|reason| reason.starts_with("aborted"));
        let errors_text = (!self.errors.is_empty()).then(|| self.errors.join("; "));
        let (text, message) = match claim {
            EndClaim::Success => (self.result, None),
            // The answer was said already; here it is not a message.
            EndClaim::Failure if cut.is_some() => (None, errors_text),
            EndClaim::Failure => (None, self.result.or(errors_text)),
        };
        TurnEnd {
            reason: aborted
                .or(cut)
                .or_else(|| (self.subtype != "success").then_some(self.subtype)),
            message,
            http_status: self.api_error_status,
            text,
            n_turns: self.num_turns,
            cost_micro_usd: self.total_cost_usd.and_then(micro_usd),
            n_refused: self.permission_denials.len() as u64,
            ..TurnEnd::new(claim)
        }
    }

    /// Its tokens; what the cache took or gave counts as read.
    pub(super) fn usage(&self) -> Option<Usage> {
        let tokens = self.usage.as_ref()?;
        let cache = tokens
            .cache_creation_input_tokens
            .saturating_add(tokens.cache_read_input_tokens);
        Some(Usage {
            input_tokens: tokens.input_tokens.saturating_add(cache),
            output_tokens: tokens.output_tokens,
            cached_tokens: tokens.cache_read_input_tokens,
            ..Usage::default()
        })
    }
}

fn micro_usd(usd: f64) -> Option<u64> {
    let micro = (usd * 1e6).round();
    // In range and without a sign, so the cast is exact.
    (0.0..1e15).contains(&micro).then_some(micro as u64)
}

#[derive(Deserialize)]
pub(super) struct ControlRequest {
    pub(super) request_id: String,
    pub(super) request: ControlRequestBody,
}

#[derive(Deserialize)]
pub(super) struct ControlRequestBody {
    pub(super) subtype: String,
    pub(super) tool_name: Option<String>,
    pub(super) input: Option<Json>,
    pub(super) description: Option<String>,
    pub(super) tool_use_id: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct ControlCancel {
    pub(super) request_id: String,
}

#[derive(Deserialize)]
pub(super) struct ControlResponse {
    pub(super) response: ControlResponseBody,
}

#[derive(Deserialize)]
pub(super) struct ControlResponseBody {
    pub(super) subtype: String,
    pub(super) error: Option<String>,
}

pub(super) fn user(text: &str) -> Value {
    json!({
        "type": "user",
        "message": {"role": "user", "content": [{"type": "text", "text": text}]},
        "parent_tool_use_id": null,
        "session_id": "default",
    })
}

/// A request of ours.
pub(super) fn control_request(id: &str, subtype: &str) -> Value {
    json!({"type": "control_request", "request_id": id, "request": {"subtype": subtype}})
}

/// Our answer to a request for permission. The arguments go back byte by byte: what was judged is what runs.
#[derive(Serialize)]
#[serde(tag = "behavior", rename_all = "snake_case")]
pub(super) enum Permission<'a> {
    Allow {
        #[serde(rename = "updatedInput")]
        updated_input: &'a Json,
    },
    Deny {
        message: &'a str,
    },
}

#[derive(Serialize)]
pub(super) struct ControlSuccess<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    response: SuccessBody<'a>,
}

#[derive(Serialize)]
struct SuccessBody<'a> {
    subtype: &'static str,
    request_id: &'a str,
    response: Permission<'a>,
}

/// The line that carries it.
pub(super) fn control_success<'a>(request_id: &'a str, response: Permission<'a>) -> ControlSuccess<'a> {
    ControlSuccess {
        kind: "control_response",
        response: SuccessBody {
            subtype: "success",
            request_id,
            response,
        },
    }
}

/// Our refusal of one of its requests.
pub(super) fn control_error(id: &str, error: &str) -> Value {
    json!({"type": "control_response", "response": {"subtype": "error", "request_id": id, "error": error}})
}
