//! Conversations in the store: each is a stream that begins with `conversation_started` and has one event per turn.
//! `gemicro_core::history` decides what a prompt shows of one.
//!
//! [`Conversations`] is the public interface. `error` has the errors, `fold` builds a conversation from its events,
//! `held` is the state that chats left in it, `holding` is the lease for adding to it, `redact` keeps secrets out.

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
