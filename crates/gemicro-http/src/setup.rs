//! The parts that a server is built from.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use gemicro_chat::{Conversation, ConversationRow};
use gemicro_engine::{BatchRequest, Plan, RunService, SubmittedBatch};
use gemicro_event::{Failure, StreamId};

use crate::start_request::StartRequest;

/// The parts that a server is built from. Settings belong to the program that starts it.
#[derive(Clone)]
pub struct HttpSetup {
    /// The service that carries out runs.
    pub desk: Arc<dyn RunService>,
    /// Turns a submitted batch into a request, with the settings of the server.
    pub batch: Arc<dyn Fn(SubmittedBatch) -> Result<BatchRequest, Failure> + Send + Sync>,
    /// Turns a run to start into a checked plan. May block.
    pub plan: Arc<dyn Fn(StartRequest) -> Result<Plan, Failure> + Send + Sync>,
    /// The readable conversations.
    pub conversations: Arc<dyn ConversationShelf>,
    /// The version of the program, for `/health` and the OpenAPI document.
    pub version: &'static str,
}

/// Read access to the conversations of a store.
pub trait ConversationShelf: Send + Sync {
    /// Lists conversations, the newest first.
    ///
    /// # Errors
    /// When the store fails.
    fn list(&self, limit: usize) -> BoxFuture<'_, Result<Vec<ConversationRow>, Failure>>;

    /// Returns the conversation with this id, or the only one whose id has this prefix.
    ///
    /// # Errors
    /// `not_found` or `invalid_input` if it does not match exactly one conversation.
    fn load(&self, named: &StreamId) -> BoxFuture<'_, Result<Conversation, Failure>>;
}

impl std::fmt::Debug for HttpSetup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Setup")
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}
