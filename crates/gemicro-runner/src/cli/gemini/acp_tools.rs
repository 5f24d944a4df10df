//! The tools of one turn over ACP: which were announced, which wait for permission.
//!
//! A call that needs permission is not announced by itself; here each gets its [`AgentItem::ToolCall`] once,
//! before anything else is told of it.

use std::collections::{BTreeMap, BTreeSet};

use gemicro_event::Json;
use serde_json::{Value, json};

use super::acp_wire as wire;
use crate::item::{AgentItem, ToolStatus};
use crate::output::Output;
use crate::permission::{PermissionAnswer, PermissionId, PermissionRequest};
use crate::protocol::LineText;

/// More calls than this are forgotten, and more open requests refused: neither happens in an honest turn.
const MAX_CALLS: usize = 4_096;
const MAX_OPEN: usize = 256;

/// What is known of a turn's tools.
#[derive(Debug, Default)]
pub(super) struct AcpTools {
    announced: BTreeSet<String>,
    open: BTreeMap<PermissionId, OpenRequest>,
}

/// A request for permission that waits for us.
#[derive(Debug)]
struct OpenRequest {
    rpc_id: Json,
    allow: Option<String>,
    reject: Option<String>,
}

impl AcpTools {
    /// A call began, went on or ended.
    pub(super) fn update(&mut self, call: &wire::ToolCall, out: &mut Output) {
        self.announce(call, out);
        let status = match call.status.as_deref() {
            Some("completed") => ToolStatus::Completed,
            Some("failed") => ToolStatus::Failed,
            _ => return,
        };
        out.item(AgentItem::ToolResult {
            id: call.tool_call_id.clone(),
            status,
            output: call.output(),
            exit_code: None,
            reason: None,
        });
    }

    /// A call waits for permission.
    pub(super) fn ask(&mut self, rpc_id: Json, params: &Json, line: LineText<'_>, out: &mut Output) {
        let Ok(asked) = params.parse::<wire::PermissionAsked>() else {
            Self::refuse(&rpc_id, out);
            return out.malformed("session/request_permission", line.bytes);
        };
        self.announce(&asked.tool_call, out);
        if self.open.len() >= MAX_OPEN {
            return Self::refuse(&rpc_id, out);
        }
        let option = |kind: &str| {
            let found = asked.options.iter().find(|option| option.kind == kind);
            found.map(|option| option.option_id.clone())
        };
        let id = PermissionId(rpc_id.text().to_owned());
        let open = OpenRequest {
            rpc_id,
            allow: option("allow_once"),
            reject: option("reject_once"),
        };
        self.open.insert(id.clone(), open);
        out.item(AgentItem::Permission(PermissionRequest {
            id,
            tool_call_id: Some(asked.tool_call.tool_call_id.clone()),
            tool: asked.tool_call.tool(),
            title: asked.tool_call.title.clone(),
            input: asked.tool_call.input(),
        }));
    }

    /// Answers a request; says whether it was open. Where the fitting option is missing, the answer is no.
    pub(super) fn answer(&mut self, id: &PermissionId, answer: &PermissionAnswer, out: &mut Output) -> bool {
        let Some(open) = self.open.remove(id) else {
            return false;
        };
        let option = match answer {
            PermissionAnswer::Allow => open.allow,
            PermissionAnswer::Deny { .. } => open.reject,
        };
        let outcome = option.map_or_else(
            cancelled,
            |option| json!({"outcome": {"outcome": "selected", "optionId": option}}),
        );
        out.write(&wire::answer(&open.rpc_id, &outcome));
        true
    }

    /// Refuses whatever waits.
    pub(super) fn refuse_all(&mut self, out: &mut Output) {
        for open in std::mem::take(&mut self.open).into_values() {
            Self::refuse(&open.rpc_id, out);
        }
    }

    /// Refuses one request.
    pub(super) fn refuse(rpc_id: &Json, out: &mut Output) {
        out.write(&wire::answer(rpc_id, &cancelled()));
    }

    fn announce(&mut self, call: &wire::ToolCall, out: &mut Output) {
        if self.announced.len() >= MAX_CALLS {
            self.announced.clear();
        }
        if self.announced.insert(call.tool_call_id.clone()) {
            out.item(AgentItem::ToolCall {
                id: call.tool_call_id.clone(),
                name: call.tool(),
                title: call.title.clone(),
                input: call.input(),
            });
        }
    }
}

fn cancelled() -> Value {
    json!({"outcome": {"outcome": "cancelled"}})
}
