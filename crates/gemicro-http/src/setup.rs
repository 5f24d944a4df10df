//! What a server is made of.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use gemicro_chat::{Conversation, ConversationRow};
use gemicro_engine::{BatchRequest, Plan, RunService, SubmittedBatch};
use gemicro_event::{Failure, StreamId};

use crate::start_request::StartRequest;

/// What a server is made of. Settings live in the edge that starts it.
#[derive(Clone)]
pub struct HttpSetup {
    /// Where runs are carried out.
    pub desk: Arc<dyn RunService>,
    /// Says how a batch that was handed in may work.
    pub batch: Arc<dyn Fn(SubmittedBatch) -> Result<BatchRequest, Failure> + Send + Sync>,
    /// Turns a run to start into a checked plan. May block.
    pub plan: Arc<dyn Fn(StartRequest) -> Result<Plan, Failure> + Send + Sync>,
    /// The conversations that can be read.
    pub conversations: Arc<dyn ConversationShelf>,
    /// The version of the program, for `/health` and the OpenAPI document.
    pub version: &'static str,
}

/// The conversations of a store, to be read.
pub trait ConversationShelf: Send + Sync {
    /// Conversations, those that were begun last first.
    ///
    /// # Errors
    /// When the store fails.
    fn list(&self, limit: usize) -> BoxFuture<'_, Result<Vec<ConversationRow>, Failure>>;

    /// The conversation with this id, or the only one whose id begins so.
    ///
    /// # Errors
    /// `not_found` or `invalid_input` when that is not one conversation.
    fn load(&self, named: &StreamId) -> BoxFuture<'_, Result<Conversation, Failure>>;
}

impl std::fmt::Debug for HttpSetup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Setup")
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}
