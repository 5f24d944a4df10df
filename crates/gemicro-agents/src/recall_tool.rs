//! The tool through which an agent in a chat searches its conversation.
//!
//! The main type is [`RecallTool`]. It only reads; it quotes the turns that the journal has when the attempt begins.

use std::sync::Arc;

use gemicro_core::ask::AskPlan;
use gemicro_core::history::{ConversationRecall, RECALL_DESCRIPTION, RECALL_TOOL};
use gemicro_core::run::events::RunReaders;
use gemicro_core::store::Store;
use gemicro_event::StreamId;
use gemicro_llm::gateway::ServedTool;
use gemicro_runner::{McpServer, PermissionRequest};

use super::setup::AgentAccess;
use super::submission::{SERVER, server_with};

/// The conversation that a run belongs to.
#[derive(Clone)]
pub(super) struct RecallTool(Arc<ConversationRecall>);

impl RecallTool {
    /// For a turn of a conversation whose agent uses the gateway.
    pub(super) async fn of(journal: &dyn Store, run: &StreamId, access: &AgentAccess) -> Option<Self> {
        if !matches!(access, AgentAccess::Key { .. }) {
            return None;
        }
        let first = journal.read(run, 0, 1).await.ok()?.events.into_iter().next()?;
        let plan: AskPlan = first.update.as_run_started()?.plan.parse().ok()?;
        let conversation = plan.conversation?;
        match journal.read(&conversation, 0, usize::MAX).await {
            Ok(page) => Some(Self(Arc::new(ConversationRecall::of_events(&page.events)))),
            Err(error) => {
                tracing::warn!(%conversation, %error, "the agent cannot recall its conversation");
                None
            }
        }
    }

    /// The tool for the gateway.
    pub(super) fn served_tool(&self) -> ServedTool {
        let memory = Arc::clone(&self.0);
        ServedTool::new(
            RECALL_TOOL,
            RECALL_DESCRIPTION,
            ConversationRecall::input_schema(),
            move |arguments| memory.answer(arguments),
        )
    }

    /// The server entry for the agent's settings.
    pub(super) fn server() -> McpServer {
        server_with(RECALL_TOOL)
    }

    /// Whether an agent asks for permission to use it. It is always granted: the tool only reads earlier turns.
    pub(super) fn is_asked_for(request: &PermissionRequest) -> bool {
        let shown = format!("{RECALL_TOOL} ({SERVER} MCP Server)");
        McpServer::names_of_tool(SERVER, RECALL_TOOL).contains(&request.tool)
            || request.title.as_ref() == Some(&shown)
    }
}
