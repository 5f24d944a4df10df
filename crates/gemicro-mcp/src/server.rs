//! One MCP connection: passes requests on to tools, prompts and tasks.

use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CancelledNotificationParam,
    GetPromptRequestParams, GetPromptResponse, GetTaskParams, GetTaskResult, Implementation,
    ListPromptsResult, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
    UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::calls::OpenCalls;
use crate::progress::ProgressSender;
use crate::setup::McpSetup;
use crate::tools::{McpToolCall, ToolName};
use crate::unique_ids::duplicate_id;
use crate::waiting::finish_detached;
use crate::{prompts, tasks};

const INSTRUCTIONS: &str = "\
gemicro runs coding agents (gemini, claude, codex) and research as durable runs.
- Every answer is one JSON object. Check `success`; on success read `result`.
- Keep SESSION_ID and pass it again to continue a conversation. When it is lost, a new one \
starts and `note` says so: give the whole context again.
- On failure `error_kind` says whether to try again: timeout, idle_timeout, rate_limited and upstream_error may pass; \
command_not_found, auth_failed and invalid_input need a person to act.
- error_kind `still_running` is not a failure: the run continues. Call run_result with error_detail.run_id until it \
answers.
- batch_submit submits many tasks at once and answers with a response_id; ask batch_poll with it, with wait_seconds, \
until `status` is no longer `pending`.
- pipeline_start takes a coding task to a reviewed, tested branch and answers with a run_id; ask run_status, then run_result.
- Use sandbox read-only for advice and review, workspace-write for work. Give all the background: an agent knows \
only its prompt and its folder.";

/// Serves one client over one connection.
#[derive(Debug, Clone)]
pub struct McpConnection {
    setup: Arc<McpSetup>,
    calls: OpenCalls,
    /// Cancelled when the connection closes: calls then answer at once with the id of their run.
    closing: CancellationToken,
}

impl McpConnection {
    /// A server for one connection that closes when `closing` is cancelled.
    #[must_use]
    pub fn new(setup: Arc<McpSetup>, closing: CancellationToken) -> Self {
        Self {
            setup,
            calls: OpenCalls::default(),
            closing,
        }
    }
}

impl ServerHandler for McpConnection {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_tasks()
            .build();
        let identity = Implementation::new("gemicro", env!("CARGO_PKG_VERSION")).with_title("gemicro");
        ServerConfig::new(capabilities)
            .with_server_info(identity)
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = ToolName::ALL.into_iter().map(ToolName::definition).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        ToolName::from_name(name).map(ToolName::definition)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(running) = self.calls.begin(&context.id) else {
            return Err(duplicate_id(&context.id));
        };
        let Some(tool) = ToolName::from_name(&request.name) else {
            let message = format!("Unknown tool: {}", request.name);
            return Err(ErrorData::invalid_params(message, None));
        };
        let takes_tasks = context
            .client_capabilities()
            .is_some_and(|capabilities| capabilities.supports_tasks());
        let token = context.meta.get_progress_token();
        let call = McpToolCall {
            setup: self.setup.clone(),
            running,
            closing: self.closing.clone(),
            progress: ProgressSender::new(context.peer, token),
            takes_tasks,
            began: Instant::now(),
        };
        tool.call(call, request.arguments).await
    }

    async fn on_cancelled(
        &self,
        notification: CancelledNotificationParam,
        _context: NotificationContext<RoleServer>,
    ) {
        if let Some(id) = notification.request_id {
            self.calls.withdraw(&id);
        }
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::list()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let prompt = prompts::get(&request.name, request.arguments.as_ref())?;
        Ok(GetPromptResponse::Complete(prompt))
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        tasks::get(self.setup.desk.as_ref(), &request.task_id).await
    }

    /// A run asks its client nothing, so there is no input to accept.
    async fn update_task(
        &self,
        request: UpdateTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        tasks::find(self.setup.desk.as_ref(), &request.task_id).await?;
        Ok(())
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let row = tasks::find(self.setup.desk.as_ref(), &request.task_id).await?;
        let desk = self.setup.desk.clone();
        let cancelled = finish_detached(self.setup.answer_within, async move {
            desk.cancel(&row.run, "the client cancelled the task").await
        })
        .await;
        cancelled
            .map(|_| ())
            .map_err(|failure| tasks::error_data(&failure))
    }
}
