//! Reads the lines of `gemini -o stream-json`.

use gemicro_event::{Json, Usage};
use serde::Deserialize;

use crate::cli::json_line;
use crate::item::{AgentItem, EndClaim, ToolStatus, TurnEnd, UsageScope};
use crate::output::AdapterOutput;
use crate::protocol::{LineText, Protocol};
use crate::session::SessionId;

/// The reader; it keeps no state between lines.
#[derive(Debug)]
pub(super) struct StreamJson;

#[derive(Deserialize)]
struct GeminiInit {
    session_id: SessionId,
    model: Option<String>,
}

#[derive(Deserialize)]
struct GeminiMessage {
    role: String,
    content: String,
}

#[derive(Deserialize)]
struct ToolUse {
    tool_name: String,
    tool_id: String,
    #[serde(default)]
    parameters: Json,
}

#[derive(Deserialize)]
struct GeminiToolResult {
    tool_id: String,
    status: String,
    output: Option<String>,
    error: Option<GeminiProblem>,
}

#[derive(Deserialize)]
struct GeminiProblem {
    #[serde(rename = "type")]
    kind: Option<String>,
    message: Option<String>,
}

#[derive(Deserialize)]
struct Warning {
    message: String,
}

#[derive(Deserialize)]
struct Result {
    status: String,
    error: Option<GeminiProblem>,
    stats: Option<Stats>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Stats {
    total_tokens: u64,
    input_tokens: u64,
    output_tokens: u64,
    cached: u64,
}

impl Protocol for StreamJson {
    fn line(&mut self, line: LineText<'_>, out: &mut AdapterOutput) {
        if let Some(kind) = json_line::kind(line, out) {
            // `parse` already keeps malformed lines.
            let _ = read(&kind, line, out);
        }
    }
}

fn read(kind: &str, line: LineText<'_>, out: &mut AdapterOutput) -> Option<()> {
    match kind {
        "init" => {
            let init: GeminiInit = json_line::parse(kind, line, out)?;
            out.item(AgentItem::Started {
                session: init.session_id,
                model: init.model,
                version: None,
            });
        }
        "message" => {
            let message: GeminiMessage = json_line::parse(kind, line, out)?;
            match message.role.as_str() {
                "assistant" => out.text(&message.content),
                // An echo of our own prompt.
                "user" => {}
                role => out.unknown(&format!("message/{role}"), line.bytes),
            }
        }
        "tool_use" => {
            let tool_use: ToolUse = json_line::parse(kind, line, out)?;
            out.item(AgentItem::ToolCall {
                id: tool_use.tool_id,
                name: tool_use.tool_name,
                title: None,
                input: tool_use.parameters,
            });
        }
        "tool_result" => tool_result(json_line::parse(kind, line, out)?, out),
        "error" => {
            let warning: Warning = json_line::parse(kind, line, out)?;
            out.item(AgentItem::Notice {
                message: warning.message,
            });
        }
        "result" => result(json_line::parse(kind, line, out)?, out),
        _ => out.unknown(kind, line.bytes),
    }
    Some(())
}

fn tool_result(result: GeminiToolResult, out: &mut AdapterOutput) {
    let error = result.error;
    let error_text = error.as_ref().and_then(|error| error.message.clone());
    out.item(AgentItem::ToolResult {
        id: result.tool_id,
        status: match result.status.as_str() {
            "success" => ToolStatus::Completed,
            _ => ToolStatus::Failed,
        },
        output: result.output.or(error_text),
        exit_code: None,
        reason: error.and_then(|error| error.kind),
    });
}

fn result(result: Result, out: &mut AdapterOutput) {
    if let Some(stats) = result.stats {
        out.item(AgentItem::Usage {
            usage: stats.usage(),
            scope: UsageScope::Turn,
        });
    }
    let claim = match result.status.as_str() {
        "success" => EndClaim::Success,
        _ => EndClaim::Failure,
    };
    let (reason, message) = result
        .error
        .map_or((None, None), |error| (error.kind, error.message));
    out.item(AgentItem::Ended(TurnEnd {
        reason,
        message,
        ..TurnEnd::new(claim)
    }));
}

impl Stats {
    /// `output_tokens` excludes thoughts; the total includes them.
    fn usage(&self) -> Usage {
        let written = self.total_tokens.saturating_sub(self.input_tokens);
        let output_tokens = written.max(self.output_tokens);
        Usage {
            input_tokens: self.input_tokens,
            output_tokens,
            cached_tokens: self.cached,
            thought_tokens: output_tokens - self.output_tokens,
            ..Usage::default()
        }
    }
}
