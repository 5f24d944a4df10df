//! The messages of the Agent Client Protocol: JSON-RPC 2.0, one object per line.
//!
//! Official types come from `agent-client-protocol-schema`, the crate in which the protocol's SDK
//! (`agent-client-protocol`) keeps them. The SDK itself is not used: its connection needs its own runtime and dispatch,
//! and does not expose the bytes of a message, which we spool, limit, and keep if they are unknown.
//!
//! Messages are parsed in parts, so that one new or invalid part does not make the rest unreadable: first the envelope
//! and the kind of update. The input of a permission decision is kept unchanged, because the official types drop
//! unknown fields. Gemini CLI's own additions are read by name.

use agent_client_protocol_schema::ProtocolVersion;
pub(super) use agent_client_protocol_schema::v1::{
    AGENT_METHOD_NAMES as AGENT, CLIENT_METHOD_NAMES as CLIENT, CancelNotification, ContentBlock,
    ContentChunk, LoadSessionRequest, NewSessionRequest, PermissionOptionKind, PromptRequest, PromptResponse,
    RequestId, SetSessionModeRequest, StopReason, ToolCallStatus,
};
use agent_client_protocol_schema::v1::{
    EnvVariable, Error, ErrorCode, FileSystemCapabilities, HttpHeader, Implementation, InitializeResponse,
    JsonRpcMessage, McpServer, McpServerHttp, McpServerStdio, NewSessionResponse, Notification,
    PermissionOption, Request, RequestPermissionOutcome, RequestPermissionResponse, Response,
    SelectedPermissionOutcome, ToolCallUpdate,
};
use gemicro_event::{Json, Usage};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::mcp_server::{self, McpReached};
use crate::output::AdapterOutput;
use crate::request::{AgentRequest, CliSandboxMode, ModelAccess, ToolApproval};
use crate::session::SessionId;

/// Any message from the agent. The official envelopes are one type per kind of message; this one covers all kinds.
#[derive(Deserialize)]
pub(super) struct AcpMessage {
    pub(super) id: Option<Json>,
    pub(super) method: Option<String>,
    pub(super) params: Option<Json>,
    pub(super) result: Option<Json>,
    pub(super) error: Option<Json>,
}

/// The error of one of our requests.
pub(super) struct RpcError {
    /// Its message, including the details that some errors have in a separate field.
    pub(super) words: String,
    /// The HTTP status of the model API, which the CLI uses as the error code.
    pub(super) http_status: Option<u16>,
}

impl RpcError {
    /// Reads an error; malformed ones are kept as text.
    pub(super) fn new(error: &Json) -> Self {
        let Ok(acp_error) = error.parse::<Error>() else {
            return Self {
                words: error.text().to_owned(),
                http_status: None,
            };
        };
        let detail = acp_error
            .data
            .as_ref()
            .and_then(|data| data.get("details")?.as_str());
        let words = match detail {
            Some(detail) => format!("{}: {detail}", acp_error.message),
            None => acp_error.message,
        };
        let status = u16::try_from(i32::from(acp_error.code)).ok();
        Self {
            words,
            http_status: status.filter(|status| (400..600).contains(status)),
        }
    }
}

/// Returns the agent's version in its answer to `initialize`.
pub(super) fn version(result: &Json) -> Option<String> {
    let response: InitializeResponse = result.parse().ok()?;
    response.agent_info.map(|info| info.version)
}

/// Returns the session's name in the answer to `session/new`.
pub(super) fn session_id(result: &Json) -> Option<SessionId> {
    let opened: NewSessionResponse = result.parse().ok()?;
    opened.session_id.0.parse().ok()
}

/// Returns the model that Gemini CLI names when it opens a session.
pub(super) fn model(result: &Json) -> Option<String> {
    let model = result.pointer("/models/currentModelId")?.as_str()?;
    Some(model.to_owned())
}

/// Returns how a prompt ended; the name is also given for reasons unknown to the protocol.
pub(super) fn stop_reason(result: &Json) -> Option<(Option<StopReason>, String)> {
    let word = result.get("stopReason")?.as_str()?.to_owned();
    let known: Option<PromptResponse> = result.parse().ok();
    Some((known.map(|response| response.stop_reason), word))
}

/// Returns the tokens of a turn, which Gemini CLI adds to its end.
pub(super) fn usage(result: &Json) -> Option<Usage> {
    let count = result.pointer("/_meta/quota/token_count")?;
    let number = |name: &str| count.get(name).and_then(Value::as_u64);
    Some(Usage {
        input_tokens: number("input_tokens")?,
        output_tokens: number("output_tokens")?,
        ..Usage::default()
    })
}

/// `tool_call`, `tool_call_update`, and the call inside a request for permission.
pub(super) struct AcpToolCall {
    known: ToolCallUpdate,
    content: Json,
    locations: Json,
}

impl AcpToolCall {
    /// Parses a call; `None` if it has no name.
    pub(super) fn read(call: &Value) -> Option<Self> {
        let part = |name: &str| match call.get(name) {
            Some(part) if !part.is_null() => Json::from(part.clone()),
            _ => Json::from(Value::Array(Vec::new())),
        };
        Some(Self {
            known: ToolCallUpdate::deserialize(call).ok()?,
            content: part("content"),
            locations: part("locations"),
        })
    }

    pub(super) fn id(&self) -> String {
        self.known.tool_call_id.0.to_string()
    }

    pub(super) fn title(&self) -> Option<String> {
        self.known.fields.title.clone()
    }

    pub(super) fn status(&self) -> Option<ToolCallStatus> {
        self.known.fields.status
    }

    /// Returns the kind of tool: `execute`, `edit`, `read`.
    pub(super) fn tool(&self) -> String {
        let kind = self.known.fields.kind.unwrap_or_default();
        let kind = serde_json::to_value(kind).unwrap_or_default();
        kind.as_str().unwrap_or("other").to_owned()
    }

    /// Returns the content and locations, which stand in for the arguments.
    pub(super) fn input(&self) -> Json {
        let parts = json!({"content": &*self.content, "locations": &*self.locations});
        Json::from(parts)
    }

    /// Returns the text in its content.
    pub(super) fn output(&self) -> Option<String> {
        let parts = self.content.as_array()?;
        let texts: Vec<&str> = parts
            .iter()
            .filter_map(|part| part.pointer("/content/text")?.as_str())
            .collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    }
}

/// Returns the id of the option with this kind in a permission request; other kinds are ignored.
pub(super) fn option(params: &Json, kind: PermissionOptionKind) -> Option<String> {
    let options = params.get("options")?.as_array()?.iter();
    let mut known = options.filter_map(|option| PermissionOption::deserialize(option).ok());
    let found = known.find(|option| option.kind == kind)?;
    Some(found.option_id.0.to_string())
}

/// Builds our answer to a permission request: this option, or none.
pub(super) fn permission(option: Option<String>) -> RequestPermissionResponse {
    RequestPermissionResponse::new(match option {
        Some(option) => RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(option)),
        None => RequestPermissionOutcome::Cancelled,
    })
}

/// Our capabilities: no files, no terminal. They are built from parts, because the official type cannot omit `auth`.
pub(super) fn initialize() -> Value {
    json!({
        "protocolVersion": ProtocolVersion::V1,
        "clientInfo": Implementation::new("gemicro", env!("CARGO_PKG_VERSION")),
        "clientCapabilities": {"fs": FileSystemCapabilities::new(), "terminal": false},
    })
}

pub(super) fn request<P: Serialize>(id: i64, method: &str, params: P, out: &mut AdapterOutput) {
    out.write(&JsonRpcMessage::wrap(Request {
        id: RequestId::Number(id),
        method: method.into(),
        params: Some(params),
    }));
}

pub(super) fn notification<P: Serialize>(method: &str, params: P, out: &mut AdapterOutput) {
    out.write(&JsonRpcMessage::wrap(Notification {
        method: method.into(),
        params: Some(params),
    }));
}

/// Answers a request of the agent.
pub(super) fn answer<R: Serialize>(id: &RequestId, result: R, out: &mut AdapterOutput) {
    out.write(&JsonRpcMessage::wrap(Response::<R, Error>::Result {
        id: id.clone(),
        result,
    }));
}

/// Refuses a request that we do not support.
pub(super) fn refuse_method(id: &RequestId, out: &mut AdapterOutput) {
    let error = Error::new(ErrorCode::MethodNotFound.into(), "gemicro does not offer this");
    out.write(&JsonRpcMessage::wrap(Response::<(), Error>::Error {
        id: id.clone(),
        error,
    }));
}

/// Returns the mode to switch to; `None` for the initial one, in which everything but reading needs permission.
pub(super) fn mode(request: &AgentRequest) -> Option<&'static str> {
    if request.guarded.is_some() {
        return None;
    }
    match (request.approval, request.sandbox) {
        (ToolApproval::All, _) => Some("yolo"),
        (ToolApproval::Ask, CliSandboxMode::ReadOnly)
        | (ToolApproval::AskEdits | ToolApproval::Harmless, _) => None,
        (ToolApproval::Ask, CliSandboxMode::WorkspaceWrite | CliSandboxMode::DangerFullAccess) => {
            Some("autoEdit")
        }
    }
}

fn bearer(access: &ModelAccess) -> Vec<HttpHeader> {
    match access {
        ModelAccess::Gateway { token, .. } => {
            vec![HttpHeader::new(
                "Authorization",
                format!("Bearer {}", token.reveal()),
            )]
        }
        ModelAccess::Login => Vec::new(),
    }
}

/// Returns the tool servers in the format of `session/new`.
pub(super) fn mcp_servers(request: &AgentRequest) -> Vec<McpServer> {
    let servers = request.mcp_servers.iter().map(|server| match &server.reached {
        McpReached::Stdio { command, args, env } => {
            let env = env.iter();
            let env = env.map(|(name, value)| EnvVariable::new(name.clone(), value.clone()));
            let stdio = McpServerStdio::new(server.name.clone(), command.clone())
                .args(args.clone())
                .env(env.collect());
            McpServer::Stdio(stdio)
        }
        McpReached::Gateway { path } => {
            let url = mcp_server::address(&request.access, path);
            let http = McpServerHttp::new(server.name.clone(), url);
            McpServer::Http(http.headers(bearer(&request.access)))
        }
    });
    servers.collect()
}
