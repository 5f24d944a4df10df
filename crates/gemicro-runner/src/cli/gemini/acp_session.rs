//! One ACP session as a state machine: initialize, open or load, prompt, cancel.
//!
//! The agent gets no files and no terminal from us: it works in its sandbox. Unknown requests are refused, so nothing
//! happens on our side without being judged.

use agent_client_protocol_schema::v1::McpServer;
use gemicro_event::{ErrorKind, Failure, Json};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::acp_tools::AcpTools;
use super::acp_wire::{self as wire, AcpMessage};
use crate::item::{AgentItem, EndClaim, TurnEnd, UsageScope};
use crate::output::{AdapterEvents, AdapterOutput};
use crate::permission::{PermissionAnswer, PermissionId};
use crate::prompt::{AgentPrompt, Habits, Mentions};
use crate::protocol::{Cancel, LineText, Protocol};
use crate::request::AgentRequest;
use crate::session::{Session, SessionId};

/// `@path` is not replaced here, but more prefixes count as commands.
const HABITS: Habits = Habits {
    mentions: Mentions::None,
    commands: &['/', '$'],
};

/// State of the session. A state that waits for an answer holds the number of our request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SessionState {
    Initializing(i64),
    Opening(i64),
    SettingMode(i64),
    /// It was loaded and replays its history; `available_commands_update` comes last.
    Replaying,
    Ready,
    Prompting(i64),
    /// It could not be opened.
    Broken,
}

/// The dialogue with one process about one session.
#[derive(Debug)]
pub(super) struct AcpSession {
    state: SessionState,
    last_id: i64,
    /// Sent as soon as the session is ready.
    waiting_prompt: Option<String>,
    session: Option<SessionId>,
    version: Option<String>,
    cwd: String,
    wish: Session,
    mode: Option<&'static str>,
    mcp_servers: Vec<McpServer>,
    tools: AcpTools,
    is_cancelling: bool,
    is_history_told: bool,
    /// Whether it sent an answer to no request: then later answers cannot be trusted either.
    is_confused: bool,
}

impl AcpSession {
    pub(super) fn new(request: &AgentRequest) -> Result<Self, Failure> {
        request.check()?;
        Ok(Self {
            state: SessionState::Broken,
            last_id: 0,
            waiting_prompt: Some(request.prompt.render(HABITS)?),
            session: None,
            version: None,
            cwd: request.cwd.display().to_string(),
            wish: request.session.clone(),
            mode: wire::mode(request),
            mcp_servers: wire::mcp_servers(request),
            tools: AcpTools::default(),
            is_cancelling: false,
            is_history_told: false,
            is_confused: false,
        })
    }

    fn ask<P: Serialize>(&mut self, method: &str, params: P, out: &mut AdapterOutput) -> i64 {
        self.last_id += 1;
        wire::request(self.last_id, method, params, out);
        self.last_id
    }

    fn session_name(&self) -> String {
        self.session
            .as_ref()
            .map(SessionId::to_string)
            .unwrap_or_default()
    }

    /// Handles the answer to the request that the state waits for.
    fn handle_answer(&mut self, id: i64, message: AcpMessage, line: LineText<'_>, out: &mut AdapterOutput) {
        let step = match self.state {
            SessionState::Initializing(awaited) if awaited == id => wire::AGENT.initialize,
            SessionState::Opening(awaited) if awaited == id => match self.wish {
                Session::Resume(_) => wire::AGENT.session_load,
                Session::New | Session::NewNamed(_) => wire::AGENT.session_new,
            },
            SessionState::SettingMode(awaited) if awaited == id => wire::AGENT.session_set_mode,
            SessionState::Prompting(awaited) if awaited == id => wire::AGENT.session_prompt,
            _ => {
                self.is_confused = true;
                return out.unknown("response", line.bytes);
            }
        };
        if let Some(error) = &message.error {
            return self.handle_error(step, &wire::RpcError::new(error), out);
        }
        let result = message.result.unwrap_or_default();
        match self.state {
            SessionState::Initializing(_) => self.handle_initialized(&result, out),
            SessionState::Opening(_) => self.handle_opened(&result, line, out),
            SessionState::SettingMode(_) => self.ready(out),
            SessionState::Prompting(_) => self.prompt_ended(&result, line, out),
            SessionState::Replaying | SessionState::Ready | SessionState::Broken => {}
        }
    }

    fn handle_error(&mut self, step: &str, error: &wire::RpcError, out: &mut AdapterOutput) {
        let is_prompt = matches!(self.state, SessionState::Prompting(_));
        self.state = if is_prompt {
            SessionState::Ready
        } else {
            SessionState::Broken
        };
        self.end_turn();
        out.item(AgentItem::Ended(TurnEnd {
            reason: (!is_prompt).then(|| step.to_owned()),
            message: Some(error.words.clone()),
            http_status: error.http_status,
            ..TurnEnd::new(EndClaim::Failure)
        }));
    }

    fn handle_initialized(&mut self, result: &Json, out: &mut AdapterOutput) {
        self.version = wire::version(result);
        let (cwd, servers) = (self.cwd.clone(), self.mcp_servers.clone());
        let asked = match self.wish.clone() {
            Session::New | Session::NewNamed(_) => {
                let params = wire::NewSessionRequest::new(cwd).mcp_servers(servers);
                self.ask(wire::AGENT.session_new, params, out)
            }
            Session::Resume(id) => {
                let params = wire::LoadSessionRequest::new(id.to_string(), cwd).mcp_servers(servers);
                self.ask(wire::AGENT.session_load, params, out)
            }
        };
        self.state = SessionState::Opening(asked);
    }

    fn handle_opened(&mut self, result: &Json, line: LineText<'_>, out: &mut AdapterOutput) {
        let session = match &self.wish {
            Session::Resume(id) => Some(id.clone()),
            Session::New | Session::NewNamed(_) => wire::session_id(result),
        };
        let Some(session) = session else {
            self.state = SessionState::Broken;
            return out.malformed(wire::AGENT.session_new, line.bytes);
        };
        self.session = Some(session.clone());
        out.item(AgentItem::Started {
            session,
            model: wire::model(result),
            version: self.version.clone(),
        });
        if let Some(mode) = self.mode {
            let params = wire::SetSessionModeRequest::new(self.session_name(), mode);
            self.state = SessionState::SettingMode(self.ask(wire::AGENT.session_set_mode, params, out));
        } else {
            self.ready(out);
        }
    }

    /// The session is open and set up.
    fn ready(&mut self, out: &mut AdapterOutput) {
        // The history follows the answer to `session/load`; a prompt in between would mix with it.
        let is_reported = self.is_history_told || !self.wish.is_resumed();
        self.state = if is_reported {
            SessionState::Ready
        } else {
            SessionState::Replaying
        };
        self.say_waiting(out);
    }

    fn handle_history(&mut self, out: &mut AdapterOutput) {
        self.is_history_told = true;
        if self.state == SessionState::Replaying {
            self.ready(out);
        }
    }

    fn say_waiting(&mut self, out: &mut AdapterOutput) {
        if self.state != SessionState::Ready {
            return;
        }
        if let Some(text) = self.waiting_prompt.take() {
            let params = wire::PromptRequest::new(self.session_name(), vec![text.into()]);
            self.state = SessionState::Prompting(self.ask(wire::AGENT.session_prompt, params, out));
        }
    }

    fn prompt_ended(&mut self, result: &Json, line: LineText<'_>, out: &mut AdapterOutput) {
        self.state = SessionState::Ready;
        let n_refused = self.tools.n_denied();
        self.end_turn();
        let Some((reason, word)) = wire::stop_reason(result) else {
            // It is still running and may still be working, so no further prompt may follow.
            self.is_confused = true;
            return out.malformed(wire::AGENT.session_prompt, line.bytes);
        };
        if let Some(usage) = wire::usage(result) {
            let scope = UsageScope::Turn;
            out.item(AgentItem::Usage { usage, scope });
        }
        let claim = match reason {
            Some(wire::StopReason::EndTurn) => EndClaim::Success,
            Some(_) | None => EndClaim::Failure,
        };
        out.item(AgentItem::Ended(TurnEnd {
            reason: Some(word),
            n_refused,
            ..TurnEnd::new(claim)
        }));
    }

    fn end_turn(&mut self) {
        self.tools = AcpTools::default();
        self.is_cancelling = false;
    }

    fn update(&mut self, params: &Json, line: LineText<'_>, out: &mut AdapterOutput) {
        let Some(update) = params.get("update") else {
            return out.malformed(wire::CLIENT.session_update, line.bytes);
        };
        let kind = update
            .get("sessionUpdate")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let is_turn = matches!(self.state, SessionState::Prompting(_));
        match kind {
            "available_commands_update" => self.handle_history(out),
            // Our own prompt, or history.
            "user_message_chunk" | "current_mode_update" => {}
            "agent_message_chunk" | "agent_thought_chunk" | "tool_call"
                if self.state == SessionState::Ready =>
            {
                // It was not asked anything, so this could be mistaken for the next answer.
                out.hear(AdapterEvents::Speech);
            }
            "agent_message_chunk" | "agent_thought_chunk" if !is_turn => {}
            "agent_message_chunk" | "agent_thought_chunk" => chunk(kind, update, line, out),
            "tool_call" | "tool_call_update" => match wire::AcpToolCall::read(update) {
                Some(call) if is_turn => self.tools.update(&call, out),
                Some(_) => {}
                None => out.malformed(kind, line.bytes),
            },
            _ => out.unknown(&format!("session/update/{kind}"), line.bytes),
        }
    }
}

impl Protocol for AcpSession {
    fn open(&mut self, out: &mut AdapterOutput) {
        self.state = SessionState::Initializing(self.ask(wire::AGENT.initialize, wire::initialize(), out));
    }

    fn line(&mut self, line: LineText<'_>, out: &mut AdapterOutput) {
        let Ok(message) = serde_json::from_str::<AcpMessage>(line.text) else {
            return out.not_json(line.bytes);
        };
        let params = message.params.clone().unwrap_or_default();
        let id = match message.id.as_ref().map(Json::parse::<wire::RequestId>) {
            Some(Err(_)) => return out.malformed("id", line.bytes),
            Some(Ok(id)) => Some(id),
            None => None,
        };
        match (message.method.as_deref(), id) {
            (Some(method), None) if method == wire::CLIENT.session_update => self.update(&params, line, out),
            (Some(method), Some(id)) if method == wire::CLIENT.session_request_permission => {
                let is_turn = matches!(self.state, SessionState::Prompting(_));
                if self.state == SessionState::Ready {
                    out.hear(AdapterEvents::Speech);
                }
                if !is_turn || self.is_cancelling {
                    // It cannot be judged, or the turn is being stopped and would wait for this answer.
                    AcpTools::refuse(&id, out);
                } else {
                    self.tools.ask(id, &params, line, out);
                }
            }
            (Some(method), id) => {
                out.unknown(method, line.bytes);
                if let Some(id) = id {
                    wire::refuse_method(&id, out);
                }
            }
            (None, Some(wire::RequestId::Number(id))) => self.handle_answer(id, message, line, out),
            (None, Some(wire::RequestId::Str(_) | wire::RequestId::Null)) => {
                self.is_confused = true;
                out.unknown("response", line.bytes);
            }
            (None, None) => out.not_json(line.bytes),
        }
    }

    fn prompt(&mut self, prompt: &AgentPrompt, out: &mut AdapterOutput) -> Option<Result<(), Failure>> {
        let refuse = |kind, message: &str| Some(Err(Failure::new(kind, message)));
        match self.state {
            SessionState::Broken => {
                return refuse(ErrorKind::SessionNotFound, "the session could not be opened");
            }
            SessionState::Prompting(_) => return refuse(ErrorKind::Conflict, "a turn is running"),
            _ if self.waiting_prompt.is_some() => {
                return refuse(ErrorKind::Conflict, "a prompt is already waiting");
            }
            SessionState::Initializing(_)
            | SessionState::Opening(_)
            | SessionState::SettingMode(_)
            | SessionState::Replaying
            | SessionState::Ready => {}
        }
        match prompt.render(HABITS) {
            Ok(text) => self.waiting_prompt = Some(text),
            Err(failure) => return Some(Err(failure)),
        }
        self.say_waiting(out);
        Some(Ok(()))
    }

    fn is_ready(&self) -> bool {
        self.state == SessionState::Ready && self.waiting_prompt.is_none() && !self.is_confused
    }

    fn answer(&mut self, id: &PermissionId, answer: &PermissionAnswer, out: &mut AdapterOutput) -> bool {
        self.tools.answer(id, answer, out)
    }

    fn cancel(&mut self, out: &mut AdapterOutput) -> Cancel {
        if !matches!(self.state, SessionState::Prompting(_)) {
            self.waiting_prompt = None;
            return Cancel::EndProcess;
        }
        self.tools.refuse_all(out);
        self.is_cancelling = true;
        let params = wire::CancelNotification::new(self.session_name());
        wire::notification(wire::AGENT.session_cancel, params, out);
        Cancel::Notified
    }

    fn quiet(&mut self, out: &mut AdapterOutput) {
        if self.state == SessionState::Replaying {
            self.handle_history(out);
        }
    }
}

/// Handles a chunk of the agent's text or thoughts.
fn chunk(kind: &str, update: &Value, line: LineText<'_>, out: &mut AdapterOutput) {
    match wire::ContentChunk::deserialize(update).map(|chunk| chunk.content) {
        Ok(wire::ContentBlock::Text(content)) if kind == "agent_message_chunk" => out.text(&content.text),
        Ok(wire::ContentBlock::Text(content)) => out.add_thought(&content.text),
        Err(_) if ["", "text"].contains(&content_type(update)) => out.malformed(kind, line.bytes),
        Ok(_) | Err(_) => out.unknown(&format!("{kind}/{}", content_type(update)), line.bytes),
    }
}

fn content_type(update: &Value) -> &str {
    let named = update.pointer("/content/type").and_then(Value::as_str);
    named.unwrap_or_default()
}
