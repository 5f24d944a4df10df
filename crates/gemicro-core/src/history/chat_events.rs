//! Events around the turns of a chat: who was asked and how, which turns were withdrawn, what was compressed. Folding
//! them with the turns restores the chat.

use std::fmt;

use gemicro_event::{Charge, Failure, StreamId, event_payload, event_readers};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{InventedSign, PromptPlan, SummaryRefusal};
use crate::ask::AgentName;

/// The agent or model that answers in a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "speaker")]
pub enum Speaker {
    /// A coding agent, with its tools.
    Agent {
        /// The agent CLI that answers.
        agent: AgentName,
        /// The model it uses; if absent, the agent chooses.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        model: Option<String>,
    },
    /// A model without tools.
    Model {
        /// The backend that provides it.
        backend: String,
        /// Name of the model, as the backend knows it.
        model: String,
    },
}

impl fmt::Display for Speaker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Agent { agent, model: None } => write!(f, "{agent}"),
            Self::Agent {
                agent,
                model: Some(model),
            } => write!(f, "{agent} · {model}"),
            Self::Model { backend, model } => write!(f, "{backend} API · {model}"),
        }
    }
}

/// How a speaker receives the earlier turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Transport {
    /// Its session, in the agent or at the provider, remembers them.
    Native,
    /// Each prompt contains the conversation.
    Rendered,
}

impl Transport {
    /// The name in journals and for people.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Rendered => "rendered",
        }
    }
}

/// A turn of the user was sent. In the transaction of that turn, or later for another try.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TurnAsked {
    /// Number of the user's turn.
    pub turn: u64,
    /// The run that answers it.
    pub run: StreamId,
    /// The agent or model that is asked.
    #[serde(flatten)]
    pub speaker: Speaker,
    /// Whether its session remembers, or a prompt is built from the log.
    pub transport: Transport,
}
event_payload!(TurnAsked, "turn_asked", |it| format!(
    "Turn {} was sent to {} ({})",
    it.turn,
    it.speaker,
    it.transport.as_str()
));

/// A turn was answered. In the transaction of the answer's turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TurnAnswered {
    /// Number of the user's turn that is answered.
    pub turn: u64,
    /// The run that answered it.
    pub run: StreamId,
    /// The session or interaction that contains the conversation up to here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// What the answer cost.
    #[serde(default)]
    pub charge: Charge,
    /// Its tokens that came from a provider's cache.
    #[serde(default)]
    pub cached_tokens: u64,
}
event_payload!(TurnAnswered, "turn_answered", |it| format!(
    "Turn {} was answered",
    it.turn
));

/// A turn failed without an answer. The user's turn stays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TurnFailed {
    /// Number of the user's turn without an answer.
    pub turn: u64,
    /// The run that failed, was stopped or was lost.
    pub run: StreamId,
    /// Why there is no answer.
    pub error: Failure,
    /// What the failed call cost.
    #[serde(default)]
    pub charge: Charge,
}
event_payload!(TurnFailed, "turn_failed", |it| format!(
    "Turn {} has no answer: {}",
    it.turn, it.error.message
));

/// A speaker receives the conversation in another way than in the turn before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TransportSwitched {
    /// The first turn that it applies to.
    pub turn: u64,
    /// The previous way.
    pub from: Transport,
    /// The new way.
    pub to: Transport,
    /// Why it was switched, in one sentence.
    pub reason: String,
}
event_payload!(TransportSwitched, "transport_switched", |it| format!(
    "{} after {}: {}",
    it.to.as_str(),
    it.from.as_str(),
    it.reason
));

/// A reply continued with invented turns of others; that part is not in the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReplyCut {
    /// Number of the assistant's turn.
    pub turn: u64,
    /// How the invented part was recognised.
    pub sign: InventedSign,
    /// Number of bytes that were cut.
    pub bytes: u64,
}
event_payload!(ReplyCut, "reply_cut", |it| format!(
    "The reply in turn {} invented further turns; {} bytes were cut",
    it.turn, it.bytes
));

/// Turns were withdrawn. They stay in the journal but no longer count; the next turn gets the number of the first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TurnsWithdrawn {
    /// The first withdrawn turn.
    pub from: u64,
}
event_payload!(TurnsWithdrawn, "turns_withdrawn", |it| format!(
    "Turns from {} on were taken back",
    it.from
));

/// Prompts show less of the conversation from now on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConversationCompacted {
    /// What prompts show of the conversation from now on.
    #[schemars(with = "serde_json::Value")]
    pub plan: PromptPlan,
    /// Tokens of the whole conversation.
    pub conversation_tokens: u64,
    /// Tokens of a prompt now.
    pub prompt_tokens: u64,
    /// Number of facts that prompts no longer show.
    pub n_lost: u64,
}
event_payload!(ConversationCompacted, "conversation_compacted", |it| format!(
    "The prompt now has {} of {} tokens; {} facts were lost",
    it.prompt_tokens, it.conversation_tokens, it.n_lost
));

/// A model is asked for a summary of old turns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SummaryAsked {
    /// Hash of the content of these turns.
    pub hash: String,
    /// Number of the first turn it covers.
    pub first: u64,
    /// Number of the last turn it covers.
    pub last: u64,
    /// Maximum length in tokens.
    pub max_tokens: u64,
    /// The run that writes it.
    pub run: StreamId,
}
event_payload!(SummaryAsked, "summary_asked", |it| format!(
    "A summary of turns {} to {} was asked for",
    it.first, it.last
));

/// A summary of old turns is ready, or was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SummaryMade {
    /// Hash of the content of these turns.
    pub hash: String,
    /// The summary, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Value>")]
    pub refusal: Option<SummaryRefusal>,
    /// What the summary cost, used or not.
    #[serde(default)]
    pub charge: Charge,
}
event_payload!(SummaryMade, "summary_made", |it| match &it.refusal {
    None => "A summary was made".to_owned(),
    Some(refusal) => format!("A summary was rejected: {refusal}"),
});

event_readers! {
    /// Readers of the events of chats.
    pub trait ChatReaders {
        TurnAsked => as_turn_asked, try_as_turn_asked;
        TurnAnswered => as_turn_answered, try_as_turn_answered;
        TurnFailed => as_turn_failed, try_as_turn_failed;
        TransportSwitched => as_transport_switched, try_as_transport_switched;
        ReplyCut => as_reply_cut, try_as_reply_cut;
        TurnsWithdrawn => as_turns_withdrawn, try_as_turns_withdrawn;
        ConversationCompacted => as_conversation_compacted, try_as_conversation_compacted;
        SummaryAsked => as_summary_asked, try_as_summary_asked;
        SummaryMade => as_summary_made, try_as_summary_made;
    }

    pub(super) fn register;
}
