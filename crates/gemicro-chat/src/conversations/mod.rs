//! Conversations in the store: each is a stream that begins with `conversation_started` and has one event per
//! turn. What a prompt shows of one is decided in `gemicro_core::history`.
//!
//! [`Conversations`] is the face. `error` says what can go wrong, `fold` makes a conversation of its events,
//! `held` what chats left in it, `holding` is the right to add to it, `redact` keeps secrets out.

mod conversations_face;
mod error;
mod fold;
mod held;
mod holding;
mod redact;

pub use conversations_face::{ConversationRow, Conversations, ImportedConversation};
pub use error::{ConversationError, MAX_NAME_CHARS};
pub use fold::Conversation;
pub use held::{ChatState, Native};
pub(crate) use holding::{HeldConversation, RENEW};
