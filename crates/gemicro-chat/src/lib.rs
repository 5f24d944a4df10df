//! Conversations: stored logs of turns, and chats that add to them.
//!
//! [`Conversations`] is the stored log: all interfaces list, read, import and rename conversations there. [`open_chat`]
//! opens one for a chat: it takes orders and sends news, and each turn is an ordinary run.

mod chat;
mod conversations;

pub use chat::{
    AgentWays, Chapter, ChatConfig, ChatLine, FindSpeaker, Meter, ModelSummariser, News, Opening, Order,
    PromptDifference, ToolLine, ToolQuestion, ToolState, compare_prompts, open_chat,
};
pub use conversations::{
    ChatState, Conversation, ConversationError, ConversationRow, Conversations, ImportedConversation,
    MAX_NAME_CHARS, Native,
};
pub use gemicro_core::history::{Speaker, Transport};
