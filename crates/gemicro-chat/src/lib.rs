//! Conversations: logs of turns as streams, and one that is being held.
//!
//! [`Conversations`] is the log: every edge lists, reads, imports and renames there. [`open_chat`] holds one: orders go
//! in, news come out, and each turn is an ordinary run.

mod chat;
mod conversations;

pub use chat::{
    AgentWays, Chapter, ChatConfig, ChatLine, FindSpeaker, Meter, ModelSummariser, News, Opening, Order,
    ToolLine, ToolQuestion, ToolState, open_chat,
};
pub use conversations::{
    ChatState, Conversation, ConversationError, ConversationRow, Conversations, ImportedConversation,
    MAX_NAME_CHARS, Native,
};
pub use gemicro_core::history::{Speaker, Transport};
