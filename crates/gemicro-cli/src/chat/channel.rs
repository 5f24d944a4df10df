//! The two ends of a chat.

use gemicro_chat::{News, Order};
use gemicro_event::ErrorKind;
use tokio::sync::mpsc;

use crate::command_error::CommandError;

/// The senders and receivers of a chat: orders in, news out. Dropping it ends the chat.
#[derive(Debug)]
pub(crate) struct ChatChannel {
    /// Orders for the chat.
    pub(crate) orders: mpsc::Sender<Order>,
    /// News of the chat; the last is [`News::Closed`].
    pub(crate) news: mpsc::Receiver<News>,
}

/// The error for news that ended without [`News::Closed`].
pub(super) fn broke_off() -> CommandError {
    CommandError::new_failure(
        ErrorKind::Internal,
        "the chat ended unexpectedly",
        "the conversation is saved: open it again, and please report this",
    )
}
