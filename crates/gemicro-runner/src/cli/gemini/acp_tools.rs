//! The tools of one ACP turn: those announced, and those waiting for permission.
//!
//! Gemini CLI does not announce a call that needs permission. This module emits one [`AgentItem::ToolCall`] for every
//! call, before any other item about it.

use std::collections::{BTreeMap, BTreeSet};

use gemicro_event::Json;

use super::acp_wire as wire;
use crate::item::{AgentItem, ToolStatus};
use crate::output::AdapterOutput;
use crate::permission::{PermissionAnswer, PermissionId, PermissionRequest};
use crate::protocol::LineText;

/// Maximum numbers of remembered calls and of open requests. No legitimate turn has more.
const MAX_CALLS: usize = 4_096;
const MAX_OPEN: usize = 256;

/// State of a turn's tools.
#[derive(Debug, Default)]
pub(super) struct AcpTools {
    announced: BTreeSet<String>,
    open: BTreeMap<PermissionId, WaitingPermission>,
    n_denied: u64,
}

/// A permission request that waits for our answer.
#[derive(Debug)]
struct WaitingPermission {
    rpc_id: wire::RequestId,
    tool_call_id: String,
    allow: Option<String>,
    reject: Option<String>,
}

impl AcpTools {
    /// Handles a call that began, continued or ended.
    pub(super) fn update(&mut self, call: &wire::AcpToolCall, out: &mut AdapterOutput) {
        self.announce(call, out);
        let status = match call.status() {
            Some(wire::ToolCallStatus::Completed) => ToolStatus::Completed,
            Some(wire::ToolCallStatus::Failed) => ToolStatus::Failed,
            _ => return,
        };
        out.item(AgentItem::ToolResult {
            id: call.id(),
            status,
            output: call.output(),
            exit_code: None,
            reason: None,
        });
    }

    /// Handles a call that waits for permission.
    pub(super) fn ask(
        &mut self,
        rpc_id: wire::RequestId,
        params: &Json,
        line: LineText<'_>,
        out: &mut AdapterOutput,
    ) {
        let Some(call) = params.get("toolCall").and_then(wire::AcpToolCall::read) else {
            Self::refuse(&rpc_id, out);
            return out.malformed(wire::CLIENT.session_request_permission, line.bytes);
        };
        self.announce(&call, out);
        if self.open.len() >= MAX_OPEN {
            return Self::refuse(&rpc_id, out);
        }
        // Keep the id as JSON, so that the number `1` and the string `"1"` stay different ids.
        let id = PermissionId(serde_json::to_string(&rpc_id).unwrap_or_default());
        let open = WaitingPermission {
            rpc_id,
            tool_call_id: call.id(),
            allow: wire::option(params, wire::PermissionOptionKind::AllowOnce),
            reject: wire::option(params, wire::PermissionOptionKind::RejectOnce),
        };
        self.open.insert(id.clone(), open);
        out.item(AgentItem::Permission(PermissionRequest {
            id,
            tool_call_id: Some(call.id()),
            tool: call.tool(),
            title: call.title(),
            input: call.input(),
        }));
    }

    /// Calls of this turn that were denied.
    pub(super) fn n_denied(&self) -> u64 {
        self.n_denied
    }

    /// Answers a request and returns whether it was open. Without a matching option, the call is denied.
    ///
    /// Gemini CLI sends no update about a denied call and gives its model no reason, so the result is reported here.
    pub(super) fn answer(
        &mut self,
        id: &PermissionId,
        answer: &PermissionAnswer,
        out: &mut AdapterOutput,
    ) -> bool {
        let Some(open) = self.open.remove(id) else {
            return false;
        };
        let (option, denied) = match answer {
            PermissionAnswer::Allow => (open.allow, None),
            PermissionAnswer::Deny { reason } => (open.reject, Some(reason.clone())),
        };
        wire::answer(&open.rpc_id, wire::permission(option), out);
        if denied.is_some() {
            self.n_denied += 1;
            out.item(AgentItem::ToolResult {
                id: open.tool_call_id,
                status: ToolStatus::Denied,
                output: None,
                exit_code: None,
                reason: denied,
            });
        }
        true
    }

    pub(super) fn refuse_all(&mut self, out: &mut AdapterOutput) {
        for open in std::mem::take(&mut self.open).into_values() {
            Self::refuse(&open.rpc_id, out);
        }
    }

    pub(super) fn refuse(rpc_id: &wire::RequestId, out: &mut AdapterOutput) {
        wire::answer(rpc_id, wire::permission(None), out);
    }

    fn announce(&mut self, call: &wire::AcpToolCall, out: &mut AdapterOutput) {
        if self.announced.len() >= MAX_CALLS {
            self.announced.clear();
        }
        if self.announced.insert(call.id()) {
            out.item(AgentItem::ToolCall {
                id: call.id(),
                name: call.tool(),
                title: call.title(),
                input: call.input(),
            });
        }
    }
}
