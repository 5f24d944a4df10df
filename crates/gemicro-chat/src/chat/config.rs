//! The settings of a chat.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use gemicro_core::ask::SandboxMode;
use gemicro_core::budget::Limits;
use gemicro_core::history::{HistoryConfig, Speaker};
use gemicro_core::llm::LlmConfig;
use gemicro_engine::RunService;
use gemicro_event::Failure;

use crate::Conversations;

/// Finds a speaker by name: an agent or a model.
pub type FindSpeaker = Arc<dyn Fn(&str) -> Result<Speaker, Failure> + Send + Sync>;

/// Everything a chat needs.
#[derive(Clone)]
pub struct ChatConfig {
    /// Executes the turns.
    pub desk: Arc<dyn RunService>,
    /// Whether interrupted turns are resumed by the run service.
    pub survives: bool,
    /// The stored conversations.
    pub conversations: Conversations,
    /// Host and process of this chat, shown to people who find the conversation locked.
    pub owner: String,
    /// Whether an owner in this form no longer exists.
    pub is_gone: fn(&str) -> bool,
    /// The default speaker; the conversation's last speaker takes precedence, unless the user named one.
    pub speaker: Speaker,
    /// Whether the user named the speaker.
    pub speaker_is_given: bool,
    /// Finds another speaker by name.
    pub find_speaker: FindSpeaker,
    /// Settings of the prompts.
    pub history: HistoryConfig,
    /// Settings of agents.
    pub agent: AgentWays,
    /// How models are called; backend and model come from the speaker.
    pub llm: LlmConfig,
    /// The model that writes summaries, if any.
    pub summariser: Option<LlmConfig>,
    /// Limits of the whole chat.
    pub limits: Limits,
    /// Whether a person can be asked for permission.
    pub asks: bool,
}

/// Settings of agents in a chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentWays {
    /// Working directory.
    pub directory: PathBuf,
    /// What they may write.
    pub sandbox: SandboxMode,
    /// Whether their tools need no approval inside the sandbox.
    pub yolo: bool,
    /// Maximum time without output before an agent is stopped.
    pub idle: Duration,
    /// Maximum time of a turn.
    pub total: Duration,
}

/// The conversation to open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Opening {
    /// A new one.
    New,
    /// The one that was changed last.
    Last,
    /// The one with this id or id prefix.
    Named(String),
    /// A copy of the one with this id or id prefix.
    Fork(String),
}
