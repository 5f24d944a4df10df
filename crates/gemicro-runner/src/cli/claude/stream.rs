//! Claude Code's stream and its control protocol as a state machine.
//!
//! With partial messages, every text is sent twice: in chunks, then in full. Chunks are passed on; from the full text
//! only what the chunks left out.

use std::collections::{BTreeMap, BTreeSet};

use gemicro_event::{ErrorKind, Failure, Json};

use super::wire;
use crate::cli::json_line;
use crate::item::{AgentItem, ToolStatus, UsageScope};
use crate::output::{AdapterEvents, AdapterOutput};
use crate::permission::{PermissionAnswer, PermissionId, PermissionRequest};
use crate::prompt::{AgentPrompt, Habits, Mentions};
use crate::protocol::{Cancel, LineText, Protocol};

const HABITS: Habits = Habits {
    mentions: Mentions::WordStart,
    commands: &['/'],
};

/// Separator between two texts of one turn.
const BREAK: &str = "\n\n";

/// Maximum number of open requests; further ones are refused.
const MAX_OPEN: usize = 256;

/// The state of the dialogue with one process.
#[derive(Debug)]
pub(super) struct ClaudeStream {
    first_prompt: String,
    is_running: bool,
    n_asked: u64,
    /// Tools that wait for an answer, with the arguments that an approval has to repeat.
    open_requests: BTreeMap<PermissionId, WaitingTool>,
    /// Calls of this turn that were denied; their results come as errors.
    denied: BTreeSet<String>,
    /// Bytes of the current block that arrived in chunks.
    n_streamed: usize,
    /// Whether this turn has produced any text.
    has_text: bool,
}

/// A tool that waits for permission.
#[derive(Debug)]
struct WaitingTool {
    tool_call_id: Option<String>,
    input: Json,
}

impl ClaudeStream {
    pub(super) fn new(prompt: &AgentPrompt) -> Result<Self, Failure> {
        Ok(Self {
            first_prompt: prompt.render(HABITS)?,
            is_running: false,
            n_asked: 0,
            open_requests: BTreeMap::new(),
            denied: BTreeSet::new(),
            n_streamed: 0,
            has_text: false,
        })
    }

    fn say(&mut self, text: &str, out: &mut AdapterOutput) {
        self.is_running = true;
        self.has_text = false;
        self.n_streamed = 0;
        out.write(&wire::user(text));
    }

    fn ask(&mut self, subtype: &str, out: &mut AdapterOutput) {
        self.n_asked += 1;
        out.write(&wire::control_request(
            &format!("gemicro-{}", self.n_asked),
            subtype,
        ));
    }

    fn read(&mut self, kind: &str, line: LineText<'_>, out: &mut AdapterOutput) -> Option<()> {
        match kind {
            "system" => system(line, out)?,
            "assistant" => self.assistant(&json_line::parse(kind, line, out)?, line, out),
            "user" => self.user(&json_line::parse(kind, line, out)?, line, out),
            "stream_event" => self.piece(&json_line::parse(kind, line, out)?, line, out),
            "result" => {
                let ended: wire::ResultMessage = json_line::parse(kind, line, out)?;
                self.is_running = false;
                self.open_requests.clear();
                self.denied.clear();
                if let Some(usage) = ended.usage() {
                    let scope = UsageScope::Turn;
                    out.item(AgentItem::Usage { usage, scope });
                }
                out.item(AgentItem::Ended(ended.turn_end()));
            }
            "control_request" => self.read_control_request(json_line::parse(kind, line, out)?, line, out),
            "control_cancel_request" => {
                let withdrawn: wire::ControlCancel = json_line::parse(kind, line, out)?;
                self.open_requests.remove(&PermissionId(withdrawn.request_id));
            }
            "control_response" => {
                let response: wire::ControlResponse = json_line::parse(kind, line, out)?;
                if response.response.subtype != "success" {
                    let message = response.response.error.unwrap_or(response.response.subtype);
                    out.item(AgentItem::Notice { message });
                }
            }
            _ => out.unknown(kind, line.bytes),
        }
        Some(())
    }

    fn assistant(&mut self, turn: &wire::ClaudeTurn, line: LineText<'_>, out: &mut AdapterOutput) {
        let Some(blocks) = turn.message.blocks() else {
            return out.malformed("assistant", line.bytes);
        };
        for block in blocks {
            match block.kind.as_str() {
                "text" => self.whole_text(turn, &block.text.unwrap_or_default(), out),
                "thinking" => {
                    let whole = block.thinking.unwrap_or_default();
                    out.add_thought(self.rest_of(&whole));
                }
                "redacted_thinking" => {}
                "tool_use" => {
                    self.n_streamed = 0;
                    out.item(AgentItem::ToolCall {
                        id: block.id.unwrap_or_default(),
                        name: block.name.unwrap_or_default(),
                        title: None,
                        input: block.input.unwrap_or_default(),
                    });
                }
                other => out.unknown(&format!("assistant/{other}"), line.bytes),
            }
        }
    }

    fn whole_text(&mut self, turn: &wire::ClaudeTurn, text: &str, out: &mut AdapterOutput) {
        if turn.error.is_some() {
            // An API error, presented as an answer.
            let message = text.to_owned();
            return out.item(AgentItem::Notice { message });
        }
        if turn.parent_tool_use_id.is_some() {
            // Text of a subagent, reported to this one.
            return out.add_thought(text);
        }
        if self.n_streamed == 0 {
            self.begin_text(text, out);
        }
        out.text(self.rest_of(text));
    }

    /// Returns the part of a block's full text that the chunks left out.
    fn rest_of<'t>(&mut self, whole: &'t str) -> &'t str {
        whole
            .get(std::mem::take(&mut self.n_streamed)..)
            .unwrap_or_default()
    }

    /// Separates a new text from the previous one.
    fn begin_text(&mut self, text: &str, out: &mut AdapterOutput) {
        if self.has_text && !text.is_empty() {
            out.text(BREAK);
        }
        self.has_text |= !text.is_empty();
    }

    fn piece(&mut self, stream: &wire::StreamEvent, line: LineText<'_>, out: &mut AdapterOutput) {
        // The model has started to answer, even if its first chunks have nothing to show.
        out.hear(AdapterEvents::Speech);
        let event = &stream.event;
        match event.kind.as_str() {
            "content_block_delta" => {}
            "message_start" | "content_block_start" => {
                self.n_streamed = 0;
                return;
            }
            "content_block_stop" | "message_delta" | "message_stop" | "ping" => return,
            other => return out.unknown(&format!("stream_event/{other}"), line.bytes),
        }
        let Some(delta) = &event.delta else {
            return out.malformed("stream_event", line.bytes);
        };
        match delta.kind.as_deref().unwrap_or_default() {
            // The text of subagents also arrives in full, which is enough.
            _ if stream.parent_tool_use_id.is_some() => {}
            "text_delta" => {
                let text = delta.text.as_deref().unwrap_or_default();
                if self.n_streamed == 0 {
                    self.begin_text(text, out);
                }
                self.n_streamed = self.n_streamed.saturating_add(text.len());
                out.text(text);
            }
            "thinking_delta" => {
                let text = delta.thinking.as_deref().unwrap_or_default();
                self.n_streamed = self.n_streamed.saturating_add(text.len());
                out.add_thought(text);
            }
            "input_json_delta" | "signature_delta" => {}
            other => out.unknown(&format!("stream_event/{other}"), line.bytes),
        }
    }

    fn read_control_request(
        &mut self,
        control: wire::ControlRequest,
        line: LineText<'_>,
        out: &mut AdapterOutput,
    ) {
        let asked = control.request;
        let (true, Some(tool)) = (asked.subtype == "can_use_tool", asked.tool_name) else {
            out.unknown(&format!("control_request/{}", asked.subtype), line.bytes);
            return out.write(&wire::control_error(
                &control.request_id,
                "gemicro does not offer this",
            ));
        };
        if self.open_requests.len() >= MAX_OPEN {
            return out.write(&wire::control_error(
                &control.request_id,
                "too many requests are open",
            ));
        }
        let id = PermissionId(control.request_id);
        let input = asked.input.unwrap_or_default();
        let open = WaitingTool {
            tool_call_id: asked.tool_use_id.clone(),
            input: input.clone(),
        };
        self.open_requests.insert(id.clone(), open);
        out.item(AgentItem::Permission(PermissionRequest {
            id,
            tool_call_id: asked.tool_use_id,
            tool,
            title: asked.description,
            input,
        }));
    }

    /// What tools answered; texts of this role are our own, or the CLI's remarks to its model.
    fn user(&mut self, turn: &wire::ClaudeTurn, line: LineText<'_>, out: &mut AdapterOutput) {
        let Some(blocks) = turn.message.blocks() else {
            return out.malformed("user", line.bytes);
        };
        for block in blocks {
            match block.kind.as_str() {
                "tool_result" => {
                    let output = block.output();
                    let failed = block.is_error == Some(true);
                    let id = block.tool_use_id.unwrap_or_default();
                    let status = match failed {
                        true if self.denied.remove(&id) => ToolStatus::Denied,
                        true => ToolStatus::Failed,
                        false => ToolStatus::Completed,
                    };
                    out.item(AgentItem::ToolResult {
                        id,
                        status,
                        exit_code: output.as_deref().filter(|_| failed).and_then(exit_code),
                        output,
                        reason: None,
                    });
                }
                "text" | "image" | "document" => {}
                other => out.unknown(&format!("user/{other}"), line.bytes),
            }
        }
    }
}

impl Protocol for ClaudeStream {
    fn open(&mut self, out: &mut AdapterOutput) {
        self.ask("initialize", out);
        let prompt = std::mem::take(&mut self.first_prompt);
        self.say(&prompt, out);
    }

    fn line(&mut self, line: LineText<'_>, out: &mut AdapterOutput) {
        if let Some(kind) = json_line::kind(line, out) {
            // `parse` already keeps malformed lines.
            let _ = self.read(&kind, line, out);
        }
    }

    fn prompt(&mut self, prompt: &AgentPrompt, out: &mut AdapterOutput) -> Option<Result<(), Failure>> {
        if self.is_running {
            return Some(Err(Failure::new(ErrorKind::Conflict, "a turn is running")));
        }
        Some(prompt.render(HABITS).map(|text| self.say(&text, out)))
    }

    fn is_ready(&self) -> bool {
        !self.is_running
    }

    fn answer(&mut self, id: &PermissionId, answer: &PermissionAnswer, out: &mut AdapterOutput) -> bool {
        let Some(open) = self.open_requests.remove(id) else {
            return false;
        };
        let response = match answer {
            PermissionAnswer::Allow => wire::Permission::Allow {
                updated_input: &open.input,
            },
            PermissionAnswer::Deny { reason } => {
                self.denied.extend(open.tool_call_id);
                wire::Permission::Deny { message: reason }
            }
        };
        out.write(&wire::control_success(&id.0, response));
        true
    }

    fn cancel(&mut self, out: &mut AdapterOutput) -> Cancel {
        let reason = "cancelled".to_owned();
        let refusal = PermissionAnswer::Deny { reason };
        let open: Vec<PermissionId> = self.open_requests.keys().cloned().collect();
        for id in open {
            self.answer(&id, &refusal, out);
        }
        if !self.is_running {
            return Cancel::EndProcess;
        }
        self.ask("interrupt", out);
        Cancel::Notified
    }
}

fn system(line: LineText<'_>, out: &mut AdapterOutput) -> Option<()> {
    let system: wire::System = json_line::parse("system", line, out)?;
    match system.subtype.as_str() {
        "init" => {
            let init: wire::ClaudeInit = json_line::parse("system/init", line, out)?;
            out.item(AgentItem::Started {
                session: init.session_id,
                model: init.model,
                version: init.claude_code_version,
            });
        }
        "api_retry" => {
            let retry: wire::ApiRetry = json_line::parse("system/api_retry", line, out)?;
            let attempt = retry.attempt.unwrap_or_default();
            let status = retry
                .error_status
                .map_or_else(String::new, |status| format!(" ({status})"));
            let error = retry.error.unwrap_or_default();
            let message = format!("retry {attempt} after {error}{status}");
            out.item(AgentItem::Notice { message });
        }
        "status" | "task_started" | "task_progress" | "task_notification" => {}
        other => out.unknown(&format!("system/{other}"), line.bytes),
    }
    Some(())
}

/// Reads `Exit code 3`, which precedes the command's output.
fn exit_code(output: &str) -> Option<i64> {
    let rest = output.strip_prefix("Exit code ")?;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest.get(..end)?.parse().ok()
}
