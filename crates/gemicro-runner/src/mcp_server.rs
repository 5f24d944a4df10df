//! Tool servers that an agent may use, and how their tools are called in CLIs.
//!
//! The main type is [`McpServer`]. What a CLI is told about one is the business of its adapter.

use std::collections::BTreeMap;

use gemicro_event::{ErrorKind, Failure};

use crate::item::AgentItem;
use crate::request::ModelAccess;

/// A tool server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpServer {
    /// Its name: letters, digits, `-` and `_`.
    pub name: String,
    /// How it is reached.
    pub reached: McpReached,
    /// Tools of it that a guarded agent may use; no others.
    pub allowed: Vec<String>,
}

/// How a tool server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum McpReached {
    /// The CLI starts it and talks to it over its standard streams.
    Stdio {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Its environment, on top of the CLI's.
        env: BTreeMap<String, String>,
    },
    /// Our gateway is it, over HTTP, and knows the agent by its token.
    Gateway {
        /// The path, with its slash.
        path: &'static str,
    },
}

impl McpServer {
    /// The names of a tool of a server in hooks and requests for permission.
    #[must_use]
    pub fn names_of_tool(server: &str, tool: &str) -> [String; 2] {
        // Claude Code and Codex; Gemini CLI.
        [format!("mcp__{server}__{tool}"), format!("mcp_{server}_{tool}")]
    }

    /// Whether an agent tells of a call of this tool of a server.
    #[must_use]
    pub fn is_call(item: &AgentItem, server: &str, tool: &str) -> bool {
        let AgentItem::ToolCall { name, title, .. } = item else {
            return false;
        };
        // Over ACP Gemini CLI tells a kind, and the tool as it is shown to people.
        let is_shown = || *title == Some(format!("{tool} ({server} MCP Server)"));
        Self::names_of_tool(server, tool).contains(name)
            || *name == format!("{server}/{tool}")
            || (name == "other" && is_shown())
    }

    pub(crate) fn check(&self, access: &ModelAccess) -> Result<(), Failure> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
        let name = &self.name;
        let wrong = if name.is_empty() || !name.chars().all(is_plain) {
            format!("`{name}` is not a name for a tool server")
        } else if !self.allowed.iter().all(|tool| tool.chars().all(is_plain)) {
            format!("a tool of `{name}` has a name that cannot be told")
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

/// The address of a server on the gateway, for an adapter that has checked its request.
pub(crate) fn address(access: &ModelAccess, path: &str) -> String {
    match access {
        ModelAccess::Gateway { base_url, .. } => format!("{base_url}{path}"),
        ModelAccess::Login => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use gemicro_event::Json;

    use super::*;

    #[test]
    fn a_tool_is_known_by_whatever_a_cli_calls_it() {
        let call = |name: &str, title: Option<&str>| AgentItem::ToolCall {
            id: "1".to_owned(),
            name: name.to_owned(),
            title: title.map(str::to_owned),
            input: Json::empty(),
        };
        let shown = Some("hand_in (notes MCP Server)");
        for (item, expected) in [
            (call("mcp__notes__hand_in", None), true),
            (call("mcp_notes_hand_in", None), true),
            (call("notes/hand_in", None), true),
            (call("other", shown), true),
            (call("execute", shown), false),
            (call("other", Some("hand_in (other MCP Server)")), false),
            (call("other", None), false),
            (call("mcp__notes__other", None), false),
        ] {
            assert_eq!(
                McpServer::is_call(&item, "notes", "hand_in"),
                expected,
                "{item:?}"
            );
        }
    }
}
