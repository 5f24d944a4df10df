//! The tool through which an agent of a pipeline submits its result. Results are kept here, outside its sandbox.
//!
//! The main type is [`ResultTool`]. Any code in the sandbox could find token and nonce and call the tool too, including
//! the code under review. So a result counts only if the agent's own output stream reports that it was submitted.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gemicro_core::execute::StepReporter;
use gemicro_event::redact::Redactor;
use gemicro_llm::gateway::{ServedTool, TOOL_PATH};
use gemicro_pipeline::payload::{ExpectedSubmission, SUBMIT_TOOL, Submissions};
use gemicro_runner::{AgentItem, McpReached, McpServer, ReportedCall};
use serde_json::Value;

use super::setup::AgentAccess;
use super::work::AgentJob;

/// gemicro's server name for agents.
pub(super) const SERVER: &str = "gemicro";

/// The tool of one attempt, and the results submitted through it.
#[derive(Clone)]
pub(super) struct ResultTool {
    expected: ExpectedSubmission,
    redactor: Arc<Redactor>,
    taken: Arc<Mutex<Submissions>>,
}

impl ResultTool {
    /// The tool, if a result is expected and the agent uses the gateway.
    pub(super) fn of(work: &AgentJob, access: &AgentAccess, secrets: &[String]) -> Option<Self> {
        let expected = match (work, access) {
            (AgentJob::Staged(work), AgentAccess::Key { .. }) => work.expected.clone()?,
            (AgentJob::Staged(_), AgentAccess::Login(_)) | (AgentJob::Task(_) | AgentJob::Text(_), _) => {
                return None;
            }
        };
        Some(Self {
            expected,
            redactor: Arc::new(Redactor::new(secrets)),
            taken: Arc::default(),
        })
    }

    /// The tool for the gateway.
    pub(super) fn served_tool(&self) -> ServedTool {
        let (description, schema) = (self.expected.description(), self.expected.input_schema());
        let tool = self.clone();
        ServedTool::new(SUBMIT_TOOL, description, schema, move |arguments| {
            // Redact as in the answer, because both must be equal.
            let arguments = tool.redactor.redact(arguments);
            tool.lock().submit(&tool.expected, &arguments)
        })
    }

    /// The server entry for the agent's settings.
    pub(super) fn server() -> McpServer {
        server_with(SUBMIT_TOOL)
    }

    /// The tool's names for the guard.
    pub(super) fn names() -> [String; 2] {
        McpServer::names_of_tool(SERVER, SUBMIT_TOOL)
    }

    /// A call of the tool that the agent reports.
    pub(super) fn call(item: &AgentItem) -> Option<ReportedCall> {
        McpServer::call(item, SERVER, SUBMIT_TOOL)
    }

    /// The submitted results that the agent's own stream reports.
    pub(super) fn handed_in(&self, calls: &[ReportedCall], reporter: &StepReporter) -> Vec<Value> {
        let taken = self.lock().counted_results().to_vec();
        let (reported, unreported): (Vec<Value>, Vec<Value>) = taken
            .into_iter()
            .partition(|result| self.is_reported(calls, result));
        if !unreported.is_empty() {
            reporter.alarm(format!(
                "{SUBMIT_TOOL} was called with a result that the agent's own output does not contain: it does not count"
            ));
        }
        reported
    }

    /// Whether the agent reports this result. A call whose arguments it does not report can stand for any result except
    /// a verdict that opens a gate.
    fn is_reported(&self, calls: &[ReportedCall], result: &Value) -> bool {
        calls.iter().any(|call| match call {
            ReportedCall::With(arguments) => arguments.get("result") == Some(result),
            ReportedCall::KeptBack => !self.expected.opens_gate(result),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Submissions> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The gateway as an MCP server with one tool.
pub(super) fn server_with(tool: &str) -> McpServer {
    McpServer {
        name: SERVER.to_owned(),
        reached: McpReached::Gateway { path: TOOL_PATH },
        allowed: vec![tool.to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use gemicro_guard::policy::{GuardedCall, PolicyConfig, check};
    use gemicro_pipeline::payload::PayloadShape;
    use serde_json::json;

    use super::*;

    #[test]
    fn the_guard_lets_this_tool_through_and_no_other() {
        let policy = PolicyConfig {
            tools: ResultTool::names().to_vec(),
            ..PolicyConfig::default()
        };
        for (tool, is_allowed) in [
            ("mcp__gemicro__submit_result", true),
            ("mcp_gemicro_submit_result", true),
            ("mcp__gemicro__other", false),
            ("mcp__evil__submit_result", false),
            ("submit_result", false),
        ] {
            let call = GuardedCall::shell(tool, "true", "/task/wt");
            assert_eq!(check(&policy, &call).is_allowed(), is_allowed, "{tool}");
        }
    }

    #[test]
    fn what_opens_a_gate_must_be_reported_word_for_word() {
        let tool = ResultTool {
            expected: ExpectedSubmission {
                shape: PayloadShape::PlanReviewer,
                nonce: "4f1c09ab77de2350".parse().unwrap(),
            },
            redactor: Arc::new(Redactor::new(Vec::<String>::new())),
            taken: Arc::default(),
        };
        let approve = json!({ "verdict": "APPROVE" });
        let reject = json!({ "verdict": "REJECT", "feedback": "x" });
        let with = |result: &Value| vec![ReportedCall::With(json!({ "nonce": "n", "result": result }))];
        for (calls, result, expected) in [
            (Vec::new(), &approve, false),
            (Vec::new(), &reject, false),
            (with(&approve), &approve, true),
            (with(&reject), &approve, false),
            (with(&approve), &reject, false),
            (vec![ReportedCall::KeptBack], &approve, false),
            (vec![ReportedCall::KeptBack], &reject, true),
            (vec![ReportedCall::With(Value::Null)], &approve, false),
        ] {
            assert_eq!(tool.is_reported(&calls, result), expected, "{calls:?} {result}");
        }
    }
}
