//! One session over ACP as a state machine: initialize, open or load, prompt, cancel.
//!
//! The agent gets no files and no terminal from us: it works inside its sandbox by itself. A request that we
//! do not know is refused, so nothing happens on our side that nobody judged.

use gemicro_event::{ErrorKind, Failure, Json};
use serde_json::{Value, json};

use super::acp_tools::AcpTools;
use super::acp_wire::{self as wire, Incoming};
use crate::item::{AgentItem, EndClaim, TurnEnd, UsageScope};
use crate::output::Output;
use crate::permission::{PermissionAnswer, PermissionId};
use crate::prompt::{Habits, Mentions, Prompt};
use crate::protocol::{Cancel, LineText, Protocol};
use crate::request::AgentRequest;
use crate::session::{Session, SessionId};

/// `@path` is not replaced here, but more is taken for a command.
const HABITS: Habits = Habits {
    mentions: Mentions::None,
    commands: &['/', '$'],
};

/// Where the session stands. What is awaited carries the number of our request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Initializing(u64),
    Opening(u64),
    SettingMode(u64),
    /// It was loaded and tells its history; `available_commands_update` comes last.
    Replaying,
    Ready,
    Prompting(u64),
    /// It could not be opened.
    Broken,
}

/// Speaks with one process about one session.
#[derive(Debug)]
pub(super) struct AcpSession {
    state: State,
    last_id: u64,
    /// Said as soon as the session is ready.
    waiting_prompt: Option<String>,
    session: Option<SessionId>,
    version: Option<String>,
    cwd: String,
    wish: Session,
    mode: Option<&'static str>,
    mcp_servers: Value,
    tools: AcpTools,
    is_cancelling: bool,
    is_history_told: bool,
}

impl AcpSession {
    pub(super) fn new(request: &AgentRequest) -> Result<Self, Failure> {
        request.check()?;
        Ok(Self {
            state: State::Broken,
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
        })
    }

    fn ask(&mut self, method: &str, params: &Value, out: &mut Output) -> u64 {
        self.last_id += 1;
        out.write(&wire::request(self.last_id, method, params));
        self.last_id
    }

    fn session_name(&self) -> &str {
        self.session.as_ref().map_or("", SessionId::as_str)
    }

    /// The answer to the request that the state waits for.
    fn answered(&mut self, id: u64, message: Incoming, line: LineText<'_>, out: &mut Output) {
        let step = match self.state {
            State::Initializing(awaited) if awaited == id => "initialize",
            State::Opening(awaited) if awaited == id => match self.wish {
                Session::Resume(_) => "session/load",
                Session::New | Session::NewNamed(_) => "session/new",
            },
            State::SettingMode(awaited) if awaited == id => "session/set_mode",
            State::Prompting(awaited) if awaited == id => "session/prompt",
            _ => return out.unknown("response", line.bytes),
        };
        if let Some(error) = message.error {
            return self.failed(step, &error, out);
        }
        let result = message.result.unwrap_or_default();
        match step {
            "initialize" => self.initialized(&result, out),
            "session/prompt" => self.prompt_ended(&result, line, out),
            "session/set_mode" => self.ready(out),
            _ => self.opened(&result, line, out),
        }
    }

    fn failed(&mut self, step: &str, error: &wire::RpcError, out: &mut Output) {
        let is_prompt = step == "session/prompt";
        self.state = if is_prompt { State::Ready } else { State::Broken };
        self.end_turn();
        out.item(AgentItem::Ended(TurnEnd {
            reason: (!is_prompt).then(|| step.to_owned()),
            message: Some(error.words()),
            http_status: error.http_status(),
            ..TurnEnd::new(EndClaim::Failure)
        }));
    }

    fn initialized(&mut self, result: &Json, out: &mut Output) {
        let told: Option<wire::Initialized> = result.parse().ok();
        self.version = told.and_then(|told| told.agent_info?.version);
        let (cwd, servers) = (&self.cwd, &self.mcp_servers);
        let (method, params) = match &self.wish {
            Session::New | Session::NewNamed(_) => {
                ("session/new", json!({"cwd": cwd, "mcpServers": servers}))
            }
            Session::Resume(id) => (
                "session/load",
                json!({"sessionId": id, "cwd": cwd, "mcpServers": servers}),
            ),
        };
        self.state = State::Opening(self.ask(method, &params, out));
    }

    fn opened(&mut self, result: &Json, line: LineText<'_>, out: &mut Output) {
        let opened: Option<wire::SessionOpened> = result.parse().ok();
        let model = opened
            .as_ref()
            .and_then(|opened| opened.models.as_ref()?.current_model_id.clone());
        let named = opened.and_then(|opened| opened.session_id);
        let session = match &self.wish {
            Session::Resume(id) => Some(id.clone()),
            Session::New | Session::NewNamed(_) => named,
        };
        let Some(session) = session else {
            self.state = State::Broken;
            return out.malformed("session/new", line.bytes);
        };
        self.session = Some(session.clone());
        out.item(AgentItem::Started {
            session,
            model,
            version: self.version.clone(),
        });
        if let Some(mode) = self.mode {
            let params = json!({"sessionId": self.session_name(), "modeId": mode});
            self.state = State::SettingMode(self.ask("session/set_mode", &params, out));
        } else {
            self.ready(out);
        }
    }

    /// The session is open and set up.
    fn ready(&mut self, out: &mut Output) {
        // History is told after the answer to `session/load`; a prompt in between would mix with it.
        let is_told = self.is_history_told || !self.wish.is_resumed();
        self.state = if is_told { State::Ready } else { State::Replaying };
        self.say_waiting(out);
    }

    fn history_told(&mut self, out: &mut Output) {
        self.is_history_told = true;
        if self.state == State::Replaying {
            self.ready(out);
        }
    }

    fn say_waiting(&mut self, out: &mut Output) {
        if self.state != State::Ready {
            return;
        }
        if let Some(text) = self.waiting_prompt.take() {
            let params =
                json!({"sessionId": self.session_name(), "prompt": [{"type": "text", "text": text}]});
            self.state = State::Prompting(self.ask("session/prompt", &params, out));
        }
    }

    fn prompt_ended(&mut self, result: &Json, line: LineText<'_>, out: &mut Output) {
        self.state = State::Ready;
        self.end_turn();
        let Ok(ended) = result.parse::<wire::PromptEnded>() else {
            return out.malformed("session/prompt", line.bytes);
        };
        if let Some(usage) = ended.meta.as_ref().and_then(wire::usage) {
            let scope = UsageScope::Turn;
            out.item(AgentItem::Usage { usage, scope });
        }
        let claim = match ended.stop_reason.as_str() {
            "end_turn" => EndClaim::Success,
            _ => EndClaim::Failure,
        };
        out.item(AgentItem::Ended(TurnEnd {
            reason: Some(ended.stop_reason),
            ..TurnEnd::new(claim)
        }));
    }

    fn end_turn(&mut self) {
        self.tools = AcpTools::default();
        self.is_cancelling = false;
    }

    fn update(&mut self, params: &Json, line: LineText<'_>, out: &mut Output) {
        let Ok(wire::SessionUpdate { update }) = params.parse() else {
            return out.malformed("session/update", line.bytes);
        };
        let kind = update
            .get("sessionUpdate")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let is_turn = matches!(self.state, State::Prompting(_));
        match kind {
            "available_commands_update" => self.history_told(out),
            // Our own words, or history.
            "user_message_chunk" | "current_mode_update" => {}
            "agent_message_chunk" | "agent_thought_chunk" if !is_turn => {}
            "agent_message_chunk" | "agent_thought_chunk" => match update.parse::<wire::Chunk>() {
                Ok(chunk) if chunk.content.kind == "text" => {
                    let text = chunk.content.text.unwrap_or_default();
                    if kind == "agent_message_chunk" {
                        out.text(&text);
                    } else {
                        out.thought(&text);
                    }
                }
                Ok(chunk) => out.unknown(&format!("{kind}/{}", chunk.content.kind), line.bytes),
                Err(_) => out.malformed(kind, line.bytes),
            },
            "tool_call" | "tool_call_update" => match update.parse::<wire::ToolCall>() {
                Ok(call) if is_turn => self.tools.update(&call, out),
                Ok(_) => {}
                Err(_) => out.malformed(kind, line.bytes),
            },
            _ => out.unknown(&format!("session/update/{kind}"), line.bytes),
        }
    }
}

impl Protocol for AcpSession {
    fn open(&mut self, out: &mut Output) {
        let params = json!({
            "protocolVersion": 1,
            "clientInfo": {"name": "gemicro", "version": env!("CARGO_PKG_VERSION")},
            "clientCapabilities": {"fs": {"readTextFile": false, "writeTextFile": false}, "terminal": false},
        });
        self.state = State::Initializing(self.ask("initialize", &params, out));
    }

    fn line(&mut self, line: LineText<'_>, out: &mut Output) {
        let Ok(message) = serde_json::from_str::<Incoming>(line.text) else {
            return out.not_json(line.bytes);
        };
        let params = message.params.clone().unwrap_or_default();
        match (message.method.as_deref(), message.id.clone()) {
            (Some("session/update"), None) => self.update(&params, line, out),
            (Some("session/request_permission"), Some(id)) => {
                let is_turn = matches!(self.state, State::Prompting(_));
                if !is_turn || self.is_cancelling {
                    // Nobody can judge it, or the turn is being stopped and would wait for this answer.
                    AcpTools::refuse(&id, out);
                } else {
                    self.tools.ask(id, &params, line, out);
                }
            }
            (Some(method), id) => {
                out.unknown(method, line.bytes);
                if let Some(id) = id {
                    out.write(&wire::refusal(
                        &id,
                        wire::NO_SUCH_METHOD,
                        "gemicro does not offer this",
                    ));
                }
            }
            (None, Some(id)) => match id.parse::<u64>() {
                Ok(id) => self.answered(id, message, line, out),
                Err(_) => out.unknown("response", line.bytes),
            },
            (None, None) => out.not_json(line.bytes),
        }
    }

    fn prompt(&mut self, prompt: &Prompt, out: &mut Output) -> Option<Result<(), Failure>> {
        let refuse = |kind, message: &str| Some(Err(Failure::new(kind, message)));
        match self.state {
            State::Broken => return refuse(ErrorKind::SessionNotFound, "the session could not be opened"),
            State::Prompting(_) => return refuse(ErrorKind::Conflict, "a turn is running"),
            _ if self.waiting_prompt.is_some() => {
                return refuse(ErrorKind::Conflict, "a prompt waits already");
            }
            State::Initializing(_)
            | State::Opening(_)
            | State::SettingMode(_)
            | State::Replaying
            | State::Ready => {}
        }
        match prompt.render(HABITS) {
            Ok(text) => self.waiting_prompt = Some(text),
            Err(failure) => return Some(Err(failure)),
        }
        self.say_waiting(out);
        Some(Ok(()))
    }

    fn answer(&mut self, id: &PermissionId, answer: &PermissionAnswer, out: &mut Output) -> bool {
        self.tools.answer(id, answer, out)
    }

    fn cancel(&mut self, out: &mut Output) -> Cancel {
        if !matches!(self.state, State::Prompting(_)) {
            self.waiting_prompt = None;
            return Cancel::EndProcess;
        }
        self.tools.refuse_all(out);
        self.is_cancelling = true;
        let params = json!({"sessionId": self.session_name()});
        out.write(&wire::notification("session/cancel", &params));
        Cancel::Told
    }

    fn quiet(&mut self, out: &mut Output) {
        if self.state == State::Replaying {
            self.history_told(out);
        }
    }
}
