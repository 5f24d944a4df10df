//! What a chat is opened with.

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

/// Finds who answers by a name that a person gives: an agent or a model.
pub type FindSpeaker = Arc<dyn Fn(&str) -> Result<Speaker, Failure> + Send + Sync>;

/// Everything a chat needs.
#[derive(Clone)]
pub struct ChatConfig {
    /// Who carries the turns out.
    pub desk: Arc<dyn RunService>,
    /// Turns that were cut off are gone on with by the one who carries them out.
    pub survives: bool,
    /// Where conversations are kept.
    pub conversations: Conversations,
    /// Who holds the conversation, for people who find it held: host and process.
    pub owner: String,
    /// Whether an owner as written above no longer exists.
    pub is_gone: fn(&str) -> bool,
    /// Who answers, unless the conversation says; a name given by the user counts more.
    pub speaker: Speaker,
    /// Whether the user named who answers.
    pub speaker_is_given: bool,
    /// Finds another one.
    pub find_speaker: FindSpeaker,
    /// How long prompts may be.
    pub history: HistoryConfig,
    /// How agents work.
    pub agent: AgentWays,
    /// How models are called; backend and model are the speaker's.
    pub llm: LlmConfig,
    /// Who writes summaries, where somebody does.
    pub summariser: Option<LlmConfig>,
    /// What the whole chat may use.
    pub limits: Limits,
    /// A person is there to be asked for permission.
    pub asks: bool,
}

/// How agents work in a chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentWays {
    /// Where.
    pub directory: PathBuf,
    /// What they may write.
    pub sandbox: SandboxMode,
    /// Whether their tools need no approval inside the sandbox.
    pub yolo: bool,
    /// Silence after which one is ended.
    pub idle: Duration,
    /// All the time that a turn has.
    pub total: Duration,
}

/// Which conversation a chat is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Opening {
    /// A new one.
    New,
    /// The one that was added to last.
    Last,
    /// The one with this id, or the beginning of it.
    Named(String),
    /// A copy of that one.
    Fork(String),
}
