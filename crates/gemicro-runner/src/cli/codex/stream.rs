//! Reads the lines of `codex exec --json`.

use std::collections::BTreeSet;

use gemicro_event::{Json, Usage};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::cli::json_line;
use crate::item::{AgentItem, EndClaim, ToolStatus, TurnEnd, UsageScope};
use crate::output::AdapterOutput;
use crate::protocol::{LineText, Protocol};
use crate::session::SessionId;

/// Separator between two messages of one turn.
const BREAK: &str = "\n\n";

/// Maximum number of open items. No legitimate stream has more.
const MAX_BEGUN: usize = 4_096;

#[derive(Debug, Default)]
pub(super) struct CodexStream {
    /// The last complete message, if any.
    last_message: Option<String>,
    /// Items that were already reported when they began; some are only reported when they end.
    begun: BTreeSet<String>,
}

#[derive(Deserialize)]
struct ThreadStarted {
    thread_id: SessionId,
}

#[derive(Deserialize)]
struct ItemEvent {
    item: Json,
}

#[derive(Deserialize)]
struct CodexItem {
    id: String,
    #[serde(rename = "type")]
    kind: String,
    text: Option<String>,
    message: Option<String>,
    command: Option<String>,
    aggregated_output: Option<String>,
    exit_code: Option<i64>,
    status: Option<String>,
    server: Option<String>,
    tool: Option<String>,
    arguments: Option<Json>,
    query: Option<String>,
    changes: Option<Json>,
    result: Option<Json>,
    error: Option<Json>,
}

#[derive(Deserialize)]
struct TurnCompleted {
    usage: Option<CodexTokens>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct CodexTokens {
    input_tokens: u64,
    cached_input_tokens: u64,
    output_tokens: u64,
    reasoning_output_tokens: u64,
}

#[derive(Deserialize)]
struct CodexTurnFailed {
    error: ErrorEvent,
}

#[derive(Deserialize)]
struct ErrorEvent {
    message: String,
}

impl Protocol for CodexStream {
    fn line(&mut self, line: LineText<'_>, out: &mut AdapterOutput) {
        if let Some(kind) = json_line::kind(line, out) {
            // `parse` already keeps malformed lines.
            let _ = self.read(&kind, line, out);
        }
    }
}

impl CodexStream {
    fn read(&mut self, kind: &str, line: LineText<'_>, out: &mut AdapterOutput) -> Option<()> {
        match kind {
            "thread.started" => {
                let started: ThreadStarted = json_line::parse(kind, line, out)?;
                out.item(AgentItem::Started {
                    session: started.thread_id,
                    model: None,
                    version: None,
                });
            }
            "turn.started" => {
                self.last_message = None;
                self.begun.clear();
            }
            "item.started" | "item.updated" | "item.completed" => {
                let event: ItemEvent = json_line::parse(kind, line, out)?;
                match event.item.parse::<CodexItem>() {
                    Ok(item) => self.item(kind, item, line, out),
                    Err(_) => out.malformed(kind, line.bytes),
                }
            }
            "turn.completed" => {
                let completed: TurnCompleted = json_line::parse(kind, line, out)?;
                if let Some(tokens) = completed.usage {
                    out.item(AgentItem::Usage {
                        usage: tokens.usage(),
                        // After a resume, this includes the earlier turns.
                        scope: UsageScope::Session,
                    });
                }
                out.item(AgentItem::Ended(TurnEnd {
                    text: self.last_message.take(),
                    ..TurnEnd::new(EndClaim::Success)
                }));
            }
            "turn.failed" => {
                let failed: CodexTurnFailed = json_line::parse(kind, line, out)?;
                out.item(AgentItem::Ended(TurnEnd {
                    message: Some(failed.error.message),
                    ..TurnEnd::new(EndClaim::Failure)
                }));
            }
            "error" => {
                let error: ErrorEvent = json_line::parse(kind, line, out)?;
                out.item(AgentItem::Notice {
                    message: error.message,
                });
            }
            _ => out.unknown(kind, line.bytes),
        }
        Some(())
    }

    fn item(&mut self, event: &str, item: CodexItem, line: LineText<'_>, out: &mut AdapterOutput) {
        let is_over = event == "item.completed";
        match item.kind.as_str() {
            "agent_message" if is_over => {
                let text = item.text.unwrap_or_default();
                if self.last_message.is_some() && !text.is_empty() {
                    out.text(BREAK);
                }
                out.text(&text);
                self.last_message = Some(text);
            }
            "reasoning" if is_over => out.add_thought(&item.text.unwrap_or_default()),
            // May be just a warning.
            "error" if is_over => out.item(AgentItem::Notice {
                message: item.message.unwrap_or_default(),
            }),
            "agent_message" | "reasoning" | "error" | "todo_list" => {}
            "command_execution" | "mcp_tool_call" | "web_search" | "file_change" => {
                if self.begun.len() >= MAX_BEGUN {
                    self.begun.clear();
                }
                if self.begun.insert(item.id.clone()) {
                    out.item(item.call());
                }
                if is_over {
                    self.begun.remove(&item.id);
                    out.item(item.result());
                }
            }
            other => out.unknown(&format!("item/{other}"), line.bytes),
        }
    }
}

impl CodexItem {
    fn call(&self) -> AgentItem {
        let (name, input) = match self.kind.as_str() {
            "command_execution" => (self.kind.clone(), json!({"command": self.command})),
            "web_search" => (self.kind.clone(), json!({"query": self.query})),
            "mcp_tool_call" => {
                let part = |text: &Option<String>| text.clone().unwrap_or_default();
                let name = format!("{}/{}", part(&self.server), part(&self.tool));
                (name, self.arguments.as_deref().cloned().unwrap_or(Value::Null))
            }
            _ => {
                let changes = self.changes.as_deref();
                (self.kind.clone(), json!({"changes": changes}))
            }
        };
        AgentItem::ToolCall {
            id: self.id.clone(),
            name,
            title: None,
            input: Json::from(input),
        }
    }

    fn result(self) -> AgentItem {
        let status = match self.status.as_deref() {
            Some("completed") | None => ToolStatus::Completed,
            Some(_) => ToolStatus::Failed,
        };
        let result_text = self
            .error
            .or(self.result)
            .map(|result_text| result_text.to_string());
        AgentItem::ToolResult {
            id: self.id,
            status,
            output: self.aggregated_output.or(result_text),
            exit_code: self.exit_code,
            reason: (status == ToolStatus::Failed).then_some(self.status).flatten(),
        }
    }
}

impl CodexTokens {
    fn usage(&self) -> Usage {
        Usage {
            input_tokens: self.input_tokens,
            output_tokens: self.output_tokens,
            cached_tokens: self.cached_input_tokens,
            thought_tokens: self.reasoning_output_tokens,
            ..Usage::default()
        }
    }
}
