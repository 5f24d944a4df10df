//! Opens the conversations of the state folder, and finds the one that the user named.

use std::sync::Arc;

use gemicro_chat::{Conversation, ConversationError, Conversations};
use gemicro_event::{ErrorKind, Failure, StreamId};

use crate::command_error::{CommandError, find_hint, store_hint};
use crate::session::Context;

/// Opens the conversations of the state folder.
pub(super) async fn open(ctx: &Context) -> Result<Conversations, CommandError> {
    let store = Arc::new(ctx.store().await?);
    Ok(Conversations::new(store, &ctx.environment.secrets()))
}

/// The conversation a user named: the beginning of its id, or `last`.
pub(super) async fn find(conversations: &Conversations, named: &str) -> Result<StreamId, CommandError> {
    if named != "last" {
        return conversations.find(named).await.map_err(open_error);
    }
    let newest = conversations.list(1).await.map_err(open_error)?;
    newest.into_iter().next().map(|row| row.id).ok_or_else(|| {
        let hint = "import one: gemicro conversations import FILE.jsonl";
        CommandError::new_failure(ErrorKind::NotFound, "there are no conversations yet", hint)
    })
}

/// Opens, finds and reads the conversation a user named.
pub(super) async fn load(ctx: &Context, named: &str) -> Result<Conversation, CommandError> {
    let conversations = open(ctx).await?;
    let id = find(&conversations, named).await?;
    let conversation = conversations.load(&id).await.map_err(open_error)?;
    conversations.store().close().await;
    Ok(conversation)
}

/// Adds advice to an error about a conversation.
pub(super) fn open_error(error: ConversationError) -> CommandError {
    let hint = match &error {
        ConversationError::Find(error) => find_hint(error),
        ConversationError::Store(error) => store_hint(error),
        ConversationError::Deleted { .. } => {
            Some("its turns were deleted; `gemicro conversations list` lists the others".to_owned())
        }
        ConversationError::Newer { .. } => Some("update gemicro; nothing was changed".to_owned()),
        ConversationError::Damaged { .. } => {
            Some("run `gemicro doctor --deep` to find the damage".to_owned())
        }
        ConversationError::BadName => Some("use a one-line name, such as `the migration`".to_owned()),
        ConversationError::BadTurn { .. } => Some("reduce the nesting of its call arguments".to_owned()),
        _ => None,
    };
    let stopped = CommandError::from(Failure::from(error));
    match hint {
        Some(hint) => stopped.with_hint(hint),
        None => stopped,
    }
}
