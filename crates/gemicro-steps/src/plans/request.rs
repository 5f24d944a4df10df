//! What an edge hands in.

use std::path::PathBuf;
use std::time::Duration;

use gemicro_batch::ooda::OodaPlan;
use gemicro_core::ask::{AgentName, SandboxMode};
use gemicro_core::budget::Limits;
use gemicro_core::llm::LlmConfig;
use gemicro_core::prompt::Earlier;
use gemicro_core::research::{Base, ResearchConfig};
use gemicro_event::StreamId;
use gemicro_pipeline::workflow::{PipelineMode, Workflow};

/// What the user asked, as data.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// A question to be answered from sources.
    Research(Box<ResearchRequest>),
    /// A prompt for a coding agent.
    Ask(Box<AskRequest>),
    /// A question to a model.
    Prompt(Box<PromptRequest>),
    /// A loop that raises a project's coverage.
    Ooda(Box<OodaRequest>),
    /// A coding task for a pipeline of agents.
    Pipeline(Box<PipelineRequest>),
}

/// A task for a coding pipeline.
#[derive(Debug, Clone, PartialEq)]
pub struct PipelineRequest {
    /// What is to be done.
    pub task: String,
    /// How it is entered.
    pub mode: PipelineMode,
    /// The checkout, or a folder in it.
    pub directory: PathBuf,
    /// The branch, where it is named; it begins with `task/`.
    pub branch: Option<String>,
    /// The workflow, with its prompts.
    pub workflow: Workflow,
    /// Who works where the role does not say, where that is said.
    pub agent: Option<AgentName>,
    /// Name of the model, as the provider knows it.
    pub model: Option<String>,
    /// The remote whose main is meant.
    pub remote: Option<String>,
    /// A remote main without protection ends the task.
    pub require_protection: bool,
    /// Whether the branch is pushed and offered.
    pub push: bool,
    /// What the run may use.
    pub limits: Limits,
}

/// A loop that raises a project's coverage.
#[derive(Debug, Clone, PartialEq)]
pub struct OodaRequest {
    /// As its file and the command line say; folder, branch and model are not resolved yet.
    pub plan: OodaPlan,
    /// What the loop may use.
    pub limits: Limits,
}

/// A question to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptRequest {
    /// What the run is called in lists.
    pub title: String,
    /// What it is for; never sent.
    pub label: String,
    /// What the model or agent is asked.
    pub prompt: String,
    /// An earlier call that it goes on from while the provider has it.
    pub earlier: Option<Earlier>,
    /// How the model is called.
    pub llm: LlmConfig,
    /// What the run may use.
    pub limits: Limits,
    /// The conversation that it belongs to.
    pub conversation: Option<StreamId>,
    /// The prompt leaves out turns of the conversation: the model may look them up.
    pub recall: bool,
}

/// What makes a task of an agent a turn of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationTurn {
    /// Id of the conversation that it continues.
    pub conversation: StreamId,
    /// All of it and the prompt, for an agent that does not know it; without it, the prompt is its beginning.
    pub retold: Option<String>,
    /// Somebody is there to be asked for leave when a tool needs it.
    pub asks: bool,
}

/// A prompt for a coding agent and how it may work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskRequest {
    /// What the model or agent is asked.
    pub prompt: String,
    /// Who, where that is said; else whoever has the model.
    pub agent: Option<AgentName>,
    /// The model; without one the agent's usual one.
    pub model: Option<String>,
    /// The folder that the agent works in.
    pub directory: PathBuf,
    /// What it may write.
    pub sandbox: SandboxMode,
    /// Whether its tools need no approval inside the sandbox.
    pub yolo: bool,
    /// The session to go on with.
    pub session: Option<String>,
    /// Silence after which it is ended.
    pub idle: Duration,
    /// All the time it has.
    pub total: Duration,
    /// Attempts after the first.
    pub max_retries: u32,
    /// What the run may use.
    pub limits: Limits,
    /// Who takes over when the agent's provider limits its requests: an agent or a model.
    pub fallback: Option<String>,
    /// Whether the answer holds everything the agent printed.
    pub keep_messages: bool,
    /// The branch of the folder's repository that it works on; it begins with `task/`.
    pub branch: Option<String>,
    /// The conversation that it is a turn of.
    pub turn: Option<ConversationTurn>,
}

/// A question and how to answer it.
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
    /// What the run may use.
    pub limits: Limits,
    /// An earlier run that it goes on from.
    pub base: Option<Base>,
}

/// The model API or agent CLI that answers a question.
#[derive(Debug, Clone, PartialEq)]
pub enum Backend {
    /// The texts themselves, without a model.
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
