//! The messages of the Agent Client Protocol that are needed: JSON-RPC 2.0, one object per line.

use gemicro_event::{Json, Usage};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::request::{AgentRequest, Approval, SandboxMode};
use crate::session::SessionId;

/// `Method not found`.
pub(super) const NO_SUCH_METHOD: i64 = -32601;

/// Any message from the agent.
#[derive(Deserialize)]
pub(super) struct Incoming {
    pub(super) id: Option<Json>,
    pub(super) method: Option<String>,
    pub(super) params: Option<Json>,
    pub(super) result: Option<Json>,
    pub(super) error: Option<RpcError>,
}

#[derive(Deserialize)]
pub(super) struct RpcError {
    pub(super) code: i64,
    #[serde(default)]
    pub(super) message: String,
    pub(super) data: Option<Json>,
}

impl RpcError {
    /// Its words, with the detail some errors carry apart.
    pub(super) fn words(&self) -> String {
        let detail = self.data.as_ref().and_then(|data| data.get("details")?.as_str());
        match detail {
            Some(detail) => format!("{}: {detail}", self.message),
            None => self.message.clone(),
        }
    }

    /// The HTTP status of the model API, which the CLI uses as code.
    pub(super) fn http_status(&self) -> Option<u16> {
        let status = u16::try_from(self.code).ok()?;
        (400..600).contains(&status).then_some(status)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Initialized {
    pub(super) agent_info: Option<AgentInfo>,
}

#[derive(Deserialize)]
pub(super) struct AgentInfo {
    pub(super) version: Option<String>,
}

/// The answer to `session/new`, and to `session/load` without the name.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SessionOpened {
    pub(super) session_id: Option<SessionId>,
    pub(super) models: Option<Models>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Models {
    pub(super) current_model_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PromptEnded {
    pub(super) stop_reason: String,
    #[serde(rename = "_meta")]
    pub(super) meta: Option<Json>,
}

#[derive(Deserialize)]
pub(super) struct SessionUpdate {
    pub(super) update: Json,
}

#[derive(Deserialize)]
pub(super) struct Chunk {
    pub(super) content: ChunkContent,
}

#[derive(Deserialize)]
pub(super) struct ChunkContent {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) text: Option<String>,
}

/// `tool_call`, `tool_call_update`, and the call inside a request for permission.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ToolCall {
    pub(super) tool_call_id: String,
    pub(super) status: Option<String>,
    pub(super) title: Option<String>,
    pub(super) kind: Option<String>,
    #[serde(default = "empty_list")]
    pub(super) content: Json,
    #[serde(default = "empty_list")]
    pub(super) locations: Json,
}

impl ToolCall {
    /// The tool as far as it is told: `execute`, `edit`, `read`.
    pub(super) fn tool(&self) -> String {
        self.kind.clone().unwrap_or_else(|| "other".to_owned())
    }

    /// What stands for its arguments.
    pub(super) fn input(&self) -> Json {
        let parts = json!({"content": &*self.content, "locations": &*self.locations});
        Json::from(parts)
    }

    /// The texts in its content.
    pub(super) fn output(&self) -> Option<String> {
        let parts = self.content.as_array()?;
        let texts: Vec<&str> = parts
            .iter()
            .filter_map(|part| part.pointer("/content/text")?.as_str())
            .collect();
        (!texts.is_empty()).then(|| texts.join("\n"))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PermissionAsked {
    #[serde(default)]
    pub(super) options: Vec<PermissionOption>,
    pub(super) tool_call: ToolCall,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PermissionOption {
    pub(super) option_id: String,
    pub(super) kind: String,
}

fn empty_list() -> Json {
    Json::from(Value::Array(Vec::new()))
}

/// A request of ours.
pub(super) fn request(id: u64, method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// A notification of ours.
pub(super) fn notification(method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}

/// Our answer to a request of the agent.
pub(super) fn answer(id: &Json, result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": &**id, "result": result})
}

/// Our refusal of a request of the agent.
pub(super) fn refusal(id: &Json, code: i64, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": &**id, "error": {"code": code, "message": message}})
}

/// The mode to switch to; `None` for the one it starts in, where everything but reading is asked for.
pub(super) fn mode(request: &AgentRequest) -> Option<&'static str> {
    match (request.approval, request.sandbox) {
        (Approval::All, _) => Some("yolo"),
        (Approval::Ask, SandboxMode::ReadOnly) => None,
        (Approval::Ask, SandboxMode::WorkspaceWrite | SandboxMode::DangerFullAccess) => Some("autoEdit"),
    }
}

/// The tool servers, as `session/new` takes them.
pub(super) fn mcp_servers(request: &AgentRequest) -> Value {
    let servers = request.mcp_servers.iter().map(|server| {
        let env = server
            .env
            .iter()
            .map(|(name, value)| json!({"name": name, "value": value}));
        let env: Vec<Value> = env.collect();
        json!({"name": server.name, "command": server.command, "args": server.args, "env": env})
    });
    servers.collect()
}

/// The tokens of a turn.
pub(super) fn usage(meta: &Json) -> Option<Usage> {
    let count = meta.pointer("/quota/token_count")?;
    let number = |name: &str| count.get(name).and_then(Value::as_u64);
    Some(Usage {
        input_tokens: number("input_tokens")?,
        output_tokens: number("output_tokens")?,
        ..Usage::default()
    })
}
