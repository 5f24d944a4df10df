//! The tool by which an agent of a pipeline hands its result in: held here, outside of its sandbox.
//!
//! The main type is [`ResultTool`]. Whatever runs in the sandbox could find token and nonce and call it, too, the code
//! under review included. So a call counts only if the agent's own stream tells of it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gemicro_event::redact::Redactor;
use gemicro_llm::gateway::{ServedTool, TOOL_PATH};
use gemicro_pipeline::payload::{Expected, SUBMIT_TOOL, Submissions};
use gemicro_runner::{AgentItem, McpReached, McpServer};
use serde_json::Value;

use super::executor::Work;
use super::seen::Seen;
use super::setup::AgentAccess;

/// What agents know gemicro as.
const SERVER: &str = "gemicro";

/// The tool of one attempt, and what was handed in by it.
#[derive(Clone)]
pub(super) struct ResultTool {
    expected: Expected,
    redactor: Arc<Redactor>,
    taken: Arc<Mutex<Submissions>>,
}

impl ResultTool {
    /// Where a result is expected and the agent reaches the gateway.
    pub(super) fn of(work: &Work, access: &AgentAccess, secrets: &[String]) -> Option<Self> {
        let expected = match (work, access) {
            (Work::Staged(work), AgentAccess::Key { .. }) => work.expected.clone()?,
            (Work::Staged(_), AgentAccess::Login(_)) | (Work::Task(_), _) => return None,
        };
        Some(Self {
            expected,
            redactor: Arc::new(Redactor::new(secrets)),
            taken: Arc::default(),
        })
    }

    /// As the gateway serves it.
    pub(super) fn served(&self) -> ServedTool {
        let (description, schema) = (self.expected.description(), self.expected.input_schema());
        let tool = self.clone();
        ServedTool::new(SUBMIT_TOOL, description, schema, move |arguments| {
            // As the answer is, which must say the same.
            let arguments = tool.redactor.redact(arguments);
            tool.lock().submit(&tool.expected, &arguments)
        })
    }

    /// As the agent is told of it.
    pub(super) fn server() -> McpServer {
        McpServer {
            name: SERVER.to_owned(),
            reached: McpReached::Gateway { path: TOOL_PATH },
            allowed: vec![SUBMIT_TOOL.to_owned()],
        }
    }

    /// As the guard knows it.
    pub(super) fn names() -> [String; 2] {
        McpServer::names_of_tool(SERVER, SUBMIT_TOOL)
    }

    /// Whether an agent tells that it calls it.
    pub(super) fn is_call(item: &AgentItem) -> bool {
        McpServer::is_call(item, SERVER, SUBMIT_TOOL)
    }

    /// What the agent handed in; nothing where somebody else called, too.
    pub(super) fn handed_in(&self, seen: &Seen) -> Vec<Value> {
        let taken = self.lock();
        if taken.n_calls() <= seen.n_handed_in {
            return taken.kept().to_vec();
        }
        seen.reporter.alarm(format!(
            "{SUBMIT_TOOL} was called {} times, of which the agent tells {}: what was handed in by it does not count",
            taken.n_calls(),
            seen.n_handed_in
        ));
        Vec::new()
    }

    fn lock(&self) -> MutexGuard<'_, Submissions> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
