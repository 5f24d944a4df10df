//! One tool of ours, served to the agent of a grant as MCP over streamable HTTP.
//!
//! The main type is [`ServedTool`]; what it does is its owner's business. Without sessions and without streams: every
//! message is answered at once, with JSON. Arguments are passed on as the text they are, so that keys that come twice
//! are not lost on the way.

use std::fmt;
use std::sync::Arc;

use hyper::StatusCode;
use hyper::body::Bytes;
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderValue};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::account::GrantAccount;
use super::problem::{ClientReply, GatewayProblem, full};

/// Where it is served, after the base address of the gateway.
pub const TOOL_PATH: &str = "/mcp";

const MESSAGE_BYTES: usize = 256 << 10;
/// The versions of MCP in which these few messages mean the same, the newest first.
const VERSIONS: &[&str] = &["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

const PARSE_ERROR: i64 = -32_700;
const INVALID_REQUEST: i64 = -32_600;
const METHOD_NOT_FOUND: i64 = -32_601;
const INVALID_PARAMS: i64 = -32_602;

/// A tool that the agent of a grant may call.
#[derive(Clone)]
pub struct ServedTool {
    name: &'static str,
    description: &'static str,
    input_schema: Value,
    call: Arc<ToolFunction>,
}

/// Answers a call, whose arguments are JSON text: with what the agent is told, or with why it failed.
type ToolFunction = dyn Fn(&str) -> Result<String, String> + Send + Sync;

impl ServedTool {
    /// Calls this for each call of the agent, from the task of the request: it must not block.
    pub fn new(
        name: &'static str,
        description: &'static str,
        input_schema: Value,
        call: impl Fn(&str) -> Result<String, String> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name,
            description,
            input_schema,
            call: Arc::new(call),
        }
    }

    fn list_tools(&self) -> Value {
        json!({ "tools": [{
            "name": self.name,
            "description": self.description,
            "inputSchema": self.input_schema,
            "annotations": { "destructiveHint": false, "idempotentHint": true, "openWorldHint": false },
        }] })
    }

    fn call_tool(&self, params: Option<&RawValue>) -> Result<Value, (i64, String)> {
        let params = params.map_or("{}", RawValue::get);
        let params: CallParams<'_> = serde_json::from_str(params)
            .map_err(|error| (INVALID_PARAMS, format!("the call cannot be read: {error}")))?;
        if params.name != self.name {
            let message = format!("there is no such tool; the only one is {}", self.name);
            return Err((INVALID_PARAMS, message));
        }
        let arguments = params.arguments.map_or("{}", RawValue::get);
        let (text, is_error) = match (self.call)(arguments) {
            Ok(text) => (text, false),
            Err(text) => (text, true),
        };
        Ok(json!({ "content": [{ "type": "text", "text": text }], "isError": is_error }))
    }

    /// The answer to a request; an error comes with its code.
    fn answer_request(&self, method: &str, params: Option<&RawValue>) -> Result<Value, (i64, String)> {
        match method {
            "initialize" => Ok(initialize_result(params)),
            "ping" => Ok(json!({})),
            "tools/list" => Ok(self.list_tools()),
            "tools/call" => self.call_tool(params),
            _ => Err((METHOD_NOT_FOUND, "this method is not served".to_owned())),
        }
    }
}

impl fmt::Debug for ServedTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ServedTool({})", self.name)
    }
}

/// A message of JSON-RPC. A notification has no id; an answer has no method.
#[derive(Deserialize)]
struct RpcMessage<'a> {
    jsonrpc: String,
    id: Option<Value>,
    method: Option<String>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct CallParams<'a> {
    name: String,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

/// Whether a path is that of the tool.
pub(super) fn is_tool(path: &[&str]) -> bool {
    path == [TOOL_PATH.trim_start_matches('/')]
}

/// Answers a message to the tool of a grant. There is a body only where it was posted.
pub(super) fn answer(step: &GrantAccount, body: Option<Bytes>) -> Result<ClientReply, GatewayProblem> {
    let tool = step.grant.tool.as_ref().ok_or_else(GatewayProblem::not_found)?;
    let Some(body) = body else {
        // It has nothing to tell of its own accord.
        let mut reply = full(Bytes::new());
        *reply.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
        reply
            .headers_mut()
            .insert(ALLOW, HeaderValue::from_static("POST"));
        return Ok(reply);
    };
    if body.len() > MESSAGE_BYTES {
        let message = format!("the message is larger than {MESSAGE_BYTES} bytes");
        return Err(GatewayProblem::new(413, "request_too_large", message));
    }
    let message: RpcMessage<'_> = match serde_json::from_slice(&body) {
        Ok(message) => message,
        Err(error) => {
            let reason = format!("this is no single message of JSON-RPC: {error}");
            return Ok(refuse_call(&Value::Null, PARSE_ERROR, &reason));
        }
    };
    let is_answerable =
        message.jsonrpc == "2.0" && matches!(&message.id, None | Some(Value::String(_) | Value::Number(_)));
    if !is_answerable {
        return Ok(refuse_call(
            &Value::Null,
            INVALID_REQUEST,
            "this is no message of JSON-RPC 2.0",
        ));
    }
    let (Some(id), Some(method)) = (message.id, message.method) else {
        let mut reply = full(Bytes::new());
        *reply.status_mut() = StatusCode::ACCEPTED;
        return Ok(reply);
    };
    Ok(match tool.answer_request(&method, message.params) {
        Ok(result) => json_reply(
            StatusCode::OK,
            &json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        ),
        Err((code, message)) => json_reply(StatusCode::OK, &error(&id, code, &message)),
    })
}

/// What is said to `initialize`: the client's version where it is known, else the newest.
fn initialize_result(params: Option<&RawValue>) -> Value {
    let params: Value = params
        .and_then(|params| serde_json::from_str(params.get()).ok())
        .unwrap_or_default();
    let asked = params["protocolVersion"].as_str();
    let version = VERSIONS.iter().find(|version| Some(**version) == asked);
    json!({
        "protocolVersion": version.unwrap_or(&VERSIONS[0]),
        "capabilities": { "tools": {} },
        "serverInfo": { "name": "gemicro", "version": env!("CARGO_PKG_VERSION") },
    })
}

fn error(id: &Value, code: i64, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

fn refuse_call(id: &Value, code: i64, message: &str) -> ClientReply {
    json_reply(StatusCode::BAD_REQUEST, &error(id, code, message))
}

fn json_reply(status: StatusCode, body: &Value) -> ClientReply {
    let mut reply = full(Bytes::from(body.to_string()));
    *reply.status_mut() = status;
    reply
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    reply
}
