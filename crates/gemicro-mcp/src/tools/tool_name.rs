//! The list of tools, and the dispatch by name.

use gemicro_core::ask::AgentName;
use rmcp::ErrorData;
use rmcp::model::{CallToolResponse, JsonObject, Tool};

use super::call::McpToolCall;
use super::{
    agent, batch_poll, batch_submit, inbox, pipeline_start, research, run_cancel, run_pause, run_result,
    run_status,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolName {
    /// Named after the agent: `claude`, `codex` or `gemini`.
    Agent(AgentName),
    Research,
    /// The state of a run.
    RunStatus,
    /// The result of a run.
    RunResult,
    RunCancel,
    RunPause,
    /// Continues a suspended run.
    RunResume,
    /// Submits many tasks at once.
    BatchSubmit,
    BatchPoll,
    PipelineStart,
    /// Everything that waits for a person.
    Inbox,
}

impl ToolName {
    /// Every tool, in the order of the list.
    pub(crate) const ALL: [Self; 13] = [
        Self::Agent(AgentName::Gemini),
        Self::Agent(AgentName::Claude),
        Self::Agent(AgentName::Codex),
        Self::Research,
        Self::RunStatus,
        Self::RunResult,
        Self::RunCancel,
        Self::BatchSubmit,
        Self::BatchPoll,
        Self::PipelineStart,
        Self::RunPause,
        Self::RunResume,
        Self::Inbox,
    ];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Agent(agent) => agent.as_str(),
            Self::Research => crate::run_answer::RESEARCH,
            Self::RunStatus => "run_status",
            Self::RunResult => "run_result",
            Self::RunCancel => "run_cancel",
            Self::RunPause => "run_pause",
            Self::RunResume => "run_resume",
            Self::BatchSubmit => "batch_submit",
            Self::BatchPoll => "batch_poll",
            Self::PipelineStart => "pipeline_start",
            Self::Inbox => "inbox",
        }
    }

    /// The tool with this name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.as_str() == name)
    }

    pub(crate) fn definition(self) -> Tool {
        match self {
            Self::Agent(agent) => agent::definition(agent),
            Self::Research => research::definition(),
            Self::RunStatus => run_status::definition(),
            Self::RunResult => run_result::definition(),
            Self::RunCancel => run_cancel::definition(),
            Self::RunPause => run_pause::definition(),
            Self::RunResume => run_pause::resume_definition(),
            Self::BatchSubmit => batch_submit::definition(),
            Self::BatchPoll => batch_poll::definition(),
            Self::PipelineStart => pipeline_start::definition(),
            Self::Inbox => inbox::definition(),
        }
    }

    /// Calls the tool.
    ///
    /// # Errors
    /// Only when the protocol itself fails; a tool's own failure is an answer.
    pub(crate) async fn call(
        self,
        call: McpToolCall,
        arguments: Option<JsonObject>,
    ) -> Result<CallToolResponse, ErrorData> {
        match self {
            Self::Agent(agent) => agent::call(agent, call, arguments).await,
            Self::Research => research::call(call, arguments).await,
            Self::RunStatus => Ok(run_status::call(&call, arguments).await.into()),
            Self::RunResult => Ok(run_result::call(call, arguments).await.into()),
            Self::RunCancel => Ok(run_cancel::call(&call, arguments).await.into()),
            Self::RunPause => Ok(run_pause::call(&call, arguments).await.into()),
            Self::RunResume => Ok(run_pause::resume_call(&call, arguments).await.into()),
            Self::BatchSubmit => Ok(batch_submit::call(&call, arguments).await.into()),
            Self::BatchPoll => Ok(batch_poll::call(&call, arguments).await.into()),
            Self::PipelineStart => Ok(pipeline_start::call(&call, arguments).await.into()),
            Self::Inbox => Ok(inbox::call(&call, arguments).await.into()),
        }
    }
}
