//! Chooses how a message is sent: to a session that has the conversation, or as a prompt that contains it.

use gemicro_core::budget::Limits;
use gemicro_core::history::{Speaker, Transport};
use gemicro_core::llm::LlmConfig;
use gemicro_core::prompt::Earlier;
use gemicro_engine::{AskRequest, ConversationTurn, Plan, PromptRequest, Request};
use gemicro_event::{Charge, Failure, StreamId};

use super::config::ChatConfig;
use crate::conversations::ChatState;

/// A message and the forms in which it can be sent.
pub(super) struct Message<'a> {
    pub(super) text: &'a str,
    /// The whole conversation including the message.
    pub(super) rendered: &'a str,
    /// Whether that leaves out old turns.
    pub(super) leaves_out: bool,
    /// Number of turns before it.
    pub(super) n_before: u64,
}

/// How a message is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SendMode {
    /// There are no earlier turns: the message starts a session.
    Start,
    /// Continues this session, which has the conversation.
    Continue(String),
    /// A new session gets the whole conversation.
    Rendered,
}

impl SendMode {
    /// The best way to reach a speaker in the current state.
    pub(super) fn choose(held: &ChatState, speaker: &Speaker, n_before: u64) -> Self {
        match &held.native {
            Some(native) if native.speaker == *speaker && native.up_to == n_before => {
                Self::Continue(native.session.clone())
            }
            _ if n_before == 0 => Self::Start,
            _ => Self::Rendered,
        }
    }

    pub(super) fn transport(&self) -> Transport {
        match self {
            Self::Start | Self::Continue(_) => Transport::Native,
            Self::Rendered => Transport::Rendered,
        }
    }
}

/// The plan of a turn's run.
///
/// # Errors
/// When the settings do not allow it.
pub(super) fn plan(
    config: &ChatConfig,
    speaker: &Speaker,
    conversation: &StreamId,
    message: &Message<'_>,
    way: &SendMode,
    spent: Charge,
) -> Result<Plan, Failure> {
    let limits = remaining_limits(&config.limits, spent);
    let request = match speaker {
        Speaker::Agent { agent, model } => Request::Ask(Box::new(AskRequest {
            prompt: message.text.to_owned(),
            agent: Some(*agent),
            model: model.clone(),
            directory: config.agent.directory.clone(),
            sandbox: config.agent.sandbox,
            yolo: config.agent.yolo,
            session: match way {
                SendMode::Continue(session) => Some(session.clone()),
                SendMode::Start | SendMode::Rendered => None,
            },
            idle: config.agent.idle,
            total: config.agent.total,
            max_retries: 0,
            limits,
            fallback: None,
            keep_messages: false,
            branch: None,
            turn: Some(ConversationTurn {
                conversation: conversation.clone(),
                retold: match way {
                    SendMode::Start => None,
                    SendMode::Continue(_) | SendMode::Rendered => Some(message.rendered.to_owned()),
                },
                asks: config.asks,
            }),
        })),
        Speaker::Model { backend, model } => Request::Prompt(Box::new(PromptRequest {
            title: message.text.to_owned(),
            label: "chat".to_owned(),
            prompt: match way {
                SendMode::Start => message.text.to_owned(),
                SendMode::Continue(_) | SendMode::Rendered => message.rendered.to_owned(),
            },
            earlier: match way {
                SendMode::Continue(interaction) => Some(Earlier {
                    interaction: interaction.clone(),
                    message: message.text.to_owned(),
                }),
                SendMode::Start | SendMode::Rendered => None,
            },
            llm: LlmConfig {
                backend: backend.clone(),
                model: model.clone(),
                ..config.llm.clone()
            },
            limits,
            conversation: Some(conversation.clone()),
            recall: message.leaves_out,
        })),
    };
    Plan::of(&request)
}

/// The remaining limits of a chat; 0 for a limit that is used up.
pub(super) fn remaining_limits(limits: &Limits, spent: Charge) -> Limits {
    let part = |limit: Option<u64>, spent: u64| limit.map(|limit| limit.saturating_sub(spent));
    Limits {
        tokens: part(limits.tokens, spent.tokens),
        micro_usd: part(limits.micro_usd, spent.micro_usd),
        turns: part(limits.turns, spent.turns),
        wall_ms: limits.wall_ms,
    }
}

/// Whether a limit of a chat is used up.
pub(super) fn is_spent(limits: &Limits, spent: Charge) -> bool {
    let left = remaining_limits(limits, spent);
    [left.tokens, left.micro_usd, left.turns].contains(&Some(0))
}
