//! Requests from the CLI and the servers.

use std::path::PathBuf;
use std::time::Duration;

use gemicro_batch::ooda::OodaPlan;
use gemicro_core::ask::{AgentName, SandboxMode};
use gemicro_core::budget::Limits;
use gemicro_core::llm::LlmConfig;
use gemicro_core::prompt::Earlier;
use gemicro_core::research::{Base, ResearchConfig};
use gemicro_event::StreamId;
use gemicro_merge::{QueuedBranch, UnreadyBranch};
use gemicro_pipeline::workflow::{PipelineMode, Workflow};

/// A request of the user, as data.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// A question to be answered from sources.
    Research(Box<ResearchRequest>),
    /// A prompt for a coding agent.
    Ask(Box<AskRequest>),
    /// A prompt to a model.
    Prompt(Box<PromptRequest>),
    /// A loop that raises a project's coverage.
    Ooda(Box<OodaRequest>),
    /// A coding task for a pipeline of agents.
    Pipeline(Box<PipelineRequest>),
    /// Finished branches for the merge queue.
    Merge(Box<MergeQueueRequest>),
}

/// Finished branches for the merge queue.
#[derive(Debug, Clone, PartialEq)]
pub struct MergeQueueRequest {
    /// The checkout, or a folder in it.
    pub directory: PathBuf,
    /// The local branch that everything is merged into.
    pub into: String,
    /// The branches, in merge order.
    pub branches: Vec<QueuedBranch>,
    /// What was named and cannot be merged.
    pub not_ready: Vec<UnreadyBranch>,
    /// The workflow, for its checks.
    pub workflow: Workflow,
    /// Whether the target is pushed at the end.
    pub push: bool,
}

/// A task for a coding pipeline.
#[derive(Debug, Clone, PartialEq)]
pub struct PipelineRequest {
    /// The task description.
    pub task: String,
    /// The entry point: direct, bugfix or research.
    pub mode: PipelineMode,
    /// The checkout, or a folder in it.
    pub directory: PathBuf,
    /// The branch, if given; it begins with `task/`.
    pub branch: Option<String>,
    /// The workflow, with its prompts.
    pub workflow: Workflow,
    /// The agent for roles that do not name one, if given.
    pub agent: Option<AgentName>,
    /// Name of the model, as the provider knows it.
    pub model: Option<String>,
    /// The remote whose main branch is used.
    pub remote: Option<String>,
    /// Whether the task fails if the remote's main branch is not protected.
    pub require_protection: bool,
    /// Whether the branch is pushed and a request to merge it opened.
    pub push: bool,
    /// Limits of the run.
    pub limits: Limits,
}

/// A loop that raises a project's coverage.
#[derive(Debug, Clone, PartialEq)]
pub struct OodaRequest {
    /// The settings from the file and the command line; folder, branch and model are not resolved yet.
    pub plan: OodaPlan,
    /// Limits of the loop.
    pub limits: Limits,
}

/// A prompt to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptRequest {
    /// The run's title in lists.
    pub title: String,
    /// Purpose of the call; never sent.
    pub label: String,
    /// The whole prompt.
    pub prompt: String,
    /// An earlier call to continue from, if the provider still has it.
    pub earlier: Option<Earlier>,
    /// How the model is called.
    pub llm: LlmConfig,
    /// Limits of the run.
    pub limits: Limits,
    /// The conversation that it belongs to.
    pub conversation: Option<StreamId>,
    /// The prompt leaves out turns of the conversation, and the model may look them up.
    pub recall: bool,
}

/// Settings of an agent task that is a turn of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationTurn {
    /// Id of the conversation that it continues.
    pub conversation: StreamId,
    /// The whole conversation and the prompt, for an agent without it; if absent, the prompt starts the conversation.
    pub retold: Option<String>,
    /// A person can be asked for permission when a tool needs it.
    pub asks: bool,
}

/// A prompt for a coding agent and its settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskRequest {
    /// The prompt for the agent.
    pub prompt: String,
    /// The agent, if given; otherwise the one that provides the model.
    pub agent: Option<AgentName>,
    /// The model; defaults to the agent's own.
    pub model: Option<String>,
    /// The folder that the agent works in.
    pub directory: PathBuf,
    /// What the agent may write.
    pub sandbox: SandboxMode,
    /// Whether its tools need no approval inside the sandbox.
    pub yolo: bool,
    /// The session to continue.
    pub session: Option<String>,
    /// Maximum time without output before it is stopped.
    pub idle: Duration,
    /// Maximum total time.
    pub total: Duration,
    /// Maximum number of retries.
    pub max_retries: u32,
    /// Limits of the run.
    pub limits: Limits,
    /// The agent or model that takes over when the agent's provider limits its requests.
    pub fallback: Option<String>,
    /// Whether the answer includes everything the agent printed.
    pub keep_messages: bool,
    /// The branch of the folder's repository that it works on; it begins with `task/`.
    pub branch: Option<String>,
    /// The conversation that it is a turn of.
    pub turn: Option<ConversationTurn>,
}

/// A question and the settings for answering it.
#[derive(Debug, Clone, PartialEq)]
pub struct ResearchRequest {
    /// The question in the words of the user.
    pub question: String,
    /// Folders and files to read.
    pub sources: Vec<PathBuf>,
    /// The model API or agent CLI that answers.
    pub backend: Backend,
    /// Settings of the research agent.
    pub config: ResearchConfig,
    /// Limits of the run.
    pub limits: Limits,
    /// An earlier run that it continues.
    pub base: Option<Base>,
}

/// The model API or agent CLI that answers a question.
#[derive(Debug, Clone, PartialEq)]
pub enum Backend {
    /// Answers from the texts, without a model.
    Offline,
    /// A model of one of the providers.
    Model {
        /// How it is called.
        llm: LlmConfig,
        /// Whether the provider's web search may answer what the sources do not.
        web: bool,
    },
    /// A research agent of the provider.
    Agent(LlmConfig),
}
