//! Tool servers for agents, and the names of their tools in CLIs.
//!
//! The main type is [`McpServer`]. The adapters configure it in their CLIs.

use std::collections::BTreeMap;

use gemicro_event::{ErrorKind, Failure};
use serde_json::Value;

use crate::item::AgentItem;
use crate::request::ModelAccess;

/// An MCP server whose tools the CLI offers to its model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpServer {
    /// Its name: letters, digits, `-` and `_`.
    pub name: String,
    /// How it is reached.
    pub reached: McpReached,
    /// The only tools that a guarded agent may use.
    pub allowed: Vec<String>,
}

/// How a tool server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum McpReached {
    /// The CLI starts it and talks to it over its standard streams.
    Stdio {
        /// Path or name of the program.
        command: String,
        /// Arguments of the program, in order.
        args: Vec<String>,
        /// Environment variables in addition to the CLI's.
        env: BTreeMap<String, String>,
    },
    /// Our gateway serves it over HTTP, and identifies the agent by its token.
    Gateway {
        /// The path, with a leading slash.
        path: &'static str,
    },
}

/// An agent's report of a tool call.
#[derive(Debug, Clone, PartialEq)]
pub enum ReportedCall {
    /// The arguments as the CLI reported them.
    With(Value),
    /// The CLI reports the call without its arguments.
    KeptBack,
}

impl McpServer {
    /// Returns the names of a server's tool in hooks and permission requests.
    #[must_use]
    pub fn names_of_tool(server: &str, tool: &str) -> [String; 2] {
        // Claude Code and Codex; Gemini CLI.
        [format!("mcp__{server}__{tool}"), format!("mcp_{server}_{tool}")]
    }

    /// Returns the call of this tool in an item; `None` for other items.
    #[must_use]
    pub fn call(item: &AgentItem, server: &str, tool: &str) -> Option<ReportedCall> {
        let AgentItem::ToolCall {
            name, title, input, ..
        } = item
        else {
            return None;
        };
        // Over ACP, Gemini CLI gives a kind, the display name of the tool, and short arguments as text.
        let is_shown = || *title == Some(format!("{tool} ({server} MCP Server)"));
        if name == "other" && is_shown() {
            let text = input.pointer("/content/0/content/text").and_then(Value::as_str);
            let arguments = text.and_then(|text| serde_json::from_str(text).ok());
            return Some(arguments.map_or(ReportedCall::KeptBack, ReportedCall::With));
        }
        let is_it = Self::names_of_tool(server, tool).contains(name) || *name == format!("{server}/{tool}");
        is_it.then(|| ReportedCall::With(Value::clone(input)))
    }

    pub(crate) fn check(&self, access: &ModelAccess) -> Result<(), Failure> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
        let name = &self.name;
        let wrong = if name.is_empty() || !name.chars().all(is_plain) {
            format!("`{name}` is not a name for a tool server")
        } else if !self.allowed.iter().all(|tool| tool.chars().all(is_plain)) {
            format!("a tool of `{name}` has an invalid name")
        } else if matches!(
            (&self.reached, access),
            (McpReached::Gateway { .. }, ModelAccess::Login)
        ) {
            format!("the tool server `{name}` is on the gateway, which an agent with a login does not reach")
        } else {
            return Ok(());
        };
        Err(Failure::new(ErrorKind::InvalidInput, wrong))
    }
}

/// Returns the address of a server on the gateway. The request must have been checked.
pub(crate) fn address(access: &ModelAccess, path: &str) -> String {
    match access {
        ModelAccess::Gateway { base_url, .. } => format!("{base_url}{path}"),
        ModelAccess::Login => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use gemicro_event::Json;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_is_known_by_whatever_a_cli_calls_it() {
        let call = |name: &str, title: Option<&str>, input: &Value| {
            let item = AgentItem::ToolCall {
                id: "1".to_owned(),
                name: name.to_owned(),
                title: title.map(str::to_owned),
                input: Json::from(input.clone()),
            };
            McpServer::call(&item, "notes", "hand_in")
        };
        let arguments = json!({ "a": 1 });
        let reported = Some(ReportedCall::With(arguments.clone()));
        for name in ["mcp__notes__hand_in", "mcp_notes_hand_in", "notes/hand_in"] {
            assert_eq!(call(name, None, &arguments), reported, "{name}");
        }
        for name in ["mcp__notes__other", "mcp__other__hand_in", "hand_in", "other"] {
            assert_eq!(call(name, None, &arguments), None, "{name}");
        }
        let shown = Some("hand_in (notes MCP Server)");
        let by_acp = |text: &str| {
            let content = json!([{ "type": "content", "content": { "type": "text", "text": text } }]);
            json!({ "content": content, "locations": [] })
        };
        assert_eq!(call("other", shown, &by_acp("{\"a\":1}")), reported);
        let kept_back = Some(ReportedCall::KeptBack);
        assert_eq!(
            call("other", shown, &by_acp("[Payload omitted due to length]")),
            kept_back
        );
        assert_eq!(
            call("other", shown, &json!({ "content": [], "locations": [] })),
            kept_back
        );
        assert_eq!(call("execute", shown, &by_acp("{}")), None);
        assert_eq!(call("other", Some("hand_in (x MCP Server)"), &by_acp("{}")), None);
    }
}
