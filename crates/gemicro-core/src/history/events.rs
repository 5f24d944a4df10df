//! The events of a conversation: its stream begins with `conversation_started`, and every turn is one event.

use gemicro_event::{Registry, StreamId, event_payload, event_readers};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Turn;

/// The version of conversations that this program writes and reads. Increase it when older programs would misread a
/// conversation by ignoring new events; they refuse higher versions.
pub const CONVERSATION_VERSION: u32 = 1;

/// A conversation began. The first event of its stream, from its creator: a chat or an import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConversationStarted {
    /// The name for people.
    pub name: String,
    /// Version that a reader must support.
    pub version: u32,
    /// The conversation that it was copied from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<StreamId>,
}
event_payload!(ConversationStarted, "conversation_started", |it| format!(
    "Conversation `{}` began",
    it.name
));

/// A turn was added. Once per turn, in order; never changed afterwards.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TurnAdded {
    /// The turn with its number.
    pub turn: Turn,
}
event_payload!(TurnAdded, "turn_added", |it| format!(
    "Turn {} by the {}",
    it.turn.number,
    it.turn.author.as_str()
));

/// A conversation was renamed. From `gemicro conversations rename`; the last one counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConversationRenamed {
    /// The new name.
    pub name: String,
}
event_payload!(ConversationRenamed, "conversation_renamed", |it| format!(
    "The conversation is now called `{}`",
    it.name
));

event_readers! {
    /// Readers of the events of conversations.
    pub trait ConversationReaders {
        ConversationStarted => as_conversation_started, try_as_conversation_started;
        TurnAdded => as_turn_added, try_as_turn_added;
        ConversationRenamed => as_conversation_renamed, try_as_conversation_renamed;
    }
}

/// Registers the events of conversations.
pub fn register(registry: &mut Registry) {
    registry.add::<ConversationStarted>();
    registry.add::<TurnAdded>();
    registry.add::<ConversationRenamed>();
    super::chat_events::register(registry);
}
