//! The conversations of the state folder; the store is opened on first use.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use gemicro_chat::{Conversation, ConversationRow, Conversations};
use gemicro_event::{Failure, StreamId};
use gemicro_http::ConversationShelf;
use tokio::sync::OnceCell;

use crate::command_error::CommandError;
use crate::session::Context;

/// Conversations, opened on first use.
pub(super) struct Shelf {
    ctx: Arc<Context>,
    conversations: OnceCell<Conversations>,
}

impl Shelf {
    pub(super) fn new(ctx: Arc<Context>) -> Self {
        Self {
            ctx,
            conversations: OnceCell::new(),
        }
    }

    pub(super) async fn close(&self) {
        if let Some(conversations) = self.conversations.get() {
            conversations.store().close().await;
        }
    }

    async fn conversations(&self) -> Result<&Conversations, Failure> {
        let opened = self.conversations.get_or_try_init(|| async {
            let store = Arc::new(self.ctx.store().await?);
            Ok(Conversations::new(store, &self.ctx.environment.secrets()))
        });
        opened.await.map_err(CommandError::into_failure)
    }
}

impl ConversationShelf for Shelf {
    fn list(&self, limit: usize) -> BoxFuture<'_, Result<Vec<ConversationRow>, Failure>> {
        Box::pin(async move { Ok(self.conversations().await?.list(limit).await?) })
    }

    fn load(&self, named: &StreamId) -> BoxFuture<'_, Result<Conversation, Failure>> {
        let named = named.clone();
        Box::pin(async move {
            let conversations = self.conversations().await?;
            let id = conversations.find(named.as_str()).await?;
            Ok(conversations.load(&id).await?)
        })
    }
}
