//! Records what the guard refused: directly if the CLI asks for permission, or from tool results if a hook answered.

use std::collections::BTreeMap;
use std::path::PathBuf;

use gemicro_core::ask::DeniedCall;
use gemicro_guard::policy::{Denial, PolicyConfig, PolicyDecision, check};
use gemicro_runner::{AgentItem, PermissionAnswer, PermissionRequest, ToolStatus};

/// Maximum number of refusals that are listed and written to the journal; the agent gets all of them.
const MAX_LISTED: usize = 200;
/// Text before a refusal in the log of Codex.
const BLOCKED: &str = "codex_core::tools::router: error=";
/// Maximum number of calls remembered until their results come.
const MAX_CALLS: usize = 1024;

/// The guard of one agent, and what it refused so far.
#[derive(Debug)]
pub(super) struct Denials {
    /// Without one, every tool that needs permission is refused.
    policy: Option<PolicyConfig>,
    worktree: PathBuf,
    /// Tool names by call id.
    calls: BTreeMap<String, String>,
    listed: Vec<DeniedCall>,
}

impl Denials {
    pub(super) fn new(policy: Option<PolicyConfig>, worktree: PathBuf) -> Self {
        Self {
            policy,
            worktree,
            calls: BTreeMap::new(),
            listed: Vec::new(),
        }
    }

    /// Whether a policy judges each call.
    pub(super) fn is_guarded(&self) -> bool {
        self.policy.is_some()
    }

    /// All of them, in order.
    pub(super) fn list(&self) -> Vec<DeniedCall> {
        self.listed.clone()
    }

    /// Judges a request; also returns the refusal, if any.
    pub(super) fn judge(&mut self, request: &PermissionRequest) -> (PermissionAnswer, Option<DeniedCall>) {
        let call = request.tool_call(&self.worktree);
        let decision = match &self.policy {
            Some(policy) => check(policy, &call),
            None => PolicyDecision::Deny(Denial::not_approved()),
        };
        match decision {
            PolicyDecision::Allow => (PermissionAnswer::Allow, None),
            PolicyDecision::Deny(denial) => {
                let reason = denial.message();
                (PermissionAnswer::Deny { reason }, self.add(&call.tool, &denial))
            }
        }
    }

    /// Reads an item of the agent; returns a refusal by a hook.
    pub(super) fn read(&mut self, item: &AgentItem) -> Option<DeniedCall> {
        match item {
            AgentItem::ToolCall { id, name, .. } => {
                if self.calls.len() < MAX_CALLS {
                    self.calls.insert(id.clone(), name.clone());
                }
                None
            }
            AgentItem::ToolResult {
                id,
                status: ToolStatus::Failed,
                output,
                reason,
                ..
            } => {
                let tool = self.calls.remove(id).unwrap_or_else(|| "tool".to_owned());
                let denial = [output, reason]
                    .into_iter()
                    .flatten()
                    .find_map(|text| Denial::read(text));
                self.add(&tool, &denial?)
            }
            AgentItem::ToolResult { id, .. } => {
                self.calls.remove(id);
                None
            }
            _ => None,
        }
    }

    /// Reads the standard error of Codex: calls that its hook refused are reported only there.
    pub(super) fn read_log(&mut self, text: &str) -> Vec<DeniedCall> {
        let denials = text.split(BLOCKED).skip(1).filter_map(Denial::read);
        let denials = denials.map(|denial| {
            let hint = denial.hint.split(['\n']).next().unwrap_or_default();
            let hint = hint.split(". Command: ").next().unwrap_or_default().to_owned();
            Denial { hint, ..denial }
        });
        let denials: Vec<Denial> = denials.collect();
        denials
            .iter()
            .filter_map(|denial| self.add("exec_command", denial))
            .collect()
    }

    fn add(&mut self, tool: &str, denial: &Denial) -> Option<DeniedCall> {
        let denied = DeniedCall {
            tool: tool.to_owned(),
            rule: denial.rule.name().to_owned(),
            segment: denial.segment.clone(),
            hint: denial.hint.clone(),
        };
        if self.listed.len() >= MAX_LISTED {
            return None;
        }
        self.listed.push(denied.clone());
        Some(denied)
    }
}

#[cfg(test)]
mod tests {
    use gemicro_event::Json;
    use serde_json::json;

    use super::*;

    fn result(id: &str, status: ToolStatus, output: &str) -> AgentItem {
        AgentItem::ToolResult {
            id: id.to_owned(),
            status,
            output: Some(output.to_owned()),
            exit_code: None,
            reason: None,
        }
    }

    fn call(id: &str, name: &str) -> AgentItem {
        AgentItem::ToolCall {
            id: id.to_owned(),
            name: name.to_owned(),
            title: None,
            input: Json::from(json!({})),
        }
    }

    #[test]
    fn refusals_of_a_hook_are_read_from_results() {
        let mut denials = Denials::new(Some(PolicyConfig::default()), "/task/wt".into());
        assert_eq!(denials.read(&call("1", "run_shell_command")), None);
        let text =
            "Tool execution blocked: Permission Denied: git_subcommand (git push): the orchestrator pushes";
        let denied = denials
            .read(&result("1", ToolStatus::Failed, text))
            .expect("a refusal");
        let parts = (
            denied.tool.as_str(),
            denied.rule.as_str(),
            denied.segment.as_str(),
            denied.hint.as_str(),
        );
        assert_eq!(
            parts,
            (
                "run_shell_command",
                "git_subcommand",
                "git push",
                "the orchestrator pushes"
            )
        );
        // What a command printed is no refusal, and an error is none.
        assert_eq!(denials.read(&result("2", ToolStatus::Completed, text)), None);
        assert_eq!(
            denials.read(&result("3", ToolStatus::Failed, "Exit code 3")),
            None
        );
        assert_eq!(denials.list(), [denied]);
    }

    #[test]
    fn without_a_policy_every_tool_that_needs_approval_is_refused() {
        let mut denials = Denials::new(None, "/project".into());
        let request = PermissionRequest {
            id: "7".into(),
            tool_call_id: Some("t1".to_owned()),
            tool: "Bash".to_owned(),
            title: None,
            input: Json::from(json!({"command": "ls"})),
        };
        let (answer, denied) = denials.judge(&request);
        let reason = "Permission Denied: no_yolo (the tool needs approval): no one can approve tools (--no-yolo); \
                      continue without this one";
        assert_eq!(
            answer,
            PermissionAnswer::Deny {
                reason: reason.to_owned()
            }
        );
        assert_eq!(
            denied.expect("a refusal").to_string(),
            "denied Bash: the tool needs approval (no_yolo)"
        );
        denials.read(&call("2", "run_shell_command"));
        let text = format!("Tool execution denied by policy. {reason}");
        assert!(denials.read(&result("2", ToolStatus::Failed, &text)).is_some());
    }

    #[test]
    fn refusals_are_read_from_the_log_of_codex() {
        let mut denials = Denials::new(Some(PolicyConfig::default()), "/task/wt".into());
        let line = "2026-11-15T16:58:15Z ERROR codex_core::tools::router: error=Command blocked by PreToolUse hook: \
            Permission Denied: git_subcommand (git switch a): stay on your branch. Command: git switch a\nmore\n";
        let found = denials.read_log(&format!("Permission Denied: git_subcommand (x): y\n{line}{line}"));
        assert_eq!(found.len(), 2);
        assert_eq!(
            (found[0].segment.as_str(), found[0].hint.as_str()),
            ("git switch a", "stay on your branch")
        );
    }

    #[test]
    fn a_refusal_is_listed_once() {
        let mut denials = Denials::new(Some(PolicyConfig::default()), "/task/wt".into());
        let request = PermissionRequest {
            id: "7".into(),
            tool_call_id: Some("t1".to_owned()),
            tool: "Bash".to_owned(),
            title: None,
            input: Json::from(json!({"command": "git push"})),
        };
        let (answer, denied) = denials.judge(&request);
        let PermissionAnswer::Deny { reason } = answer else {
            panic!("it was allowed");
        };
        assert!(denied.is_some());
        assert_eq!(denials.read(&result("t1", ToolStatus::Denied, &reason)), None);
        assert_eq!(denials.list().len(), 1);
    }
}
