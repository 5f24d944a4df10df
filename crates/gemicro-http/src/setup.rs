//! What a server is made of.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use gemicro_engine::{BatchRequest, Conversation, ConversationRow, Desk, Plan, Submitted};
use gemicro_event::{Failure, StreamId};
use schemars::JsonSchema;
use serde::Deserialize;

/// What a server is made of. Settings live in the edge that starts it.
#[derive(Clone)]
pub struct Setup {
    /// Where runs are carried out.
    pub desk: Arc<dyn Desk>,
    /// Says how a batch that was handed in may work.
    pub batch: Arc<dyn Fn(Submitted) -> Result<BatchRequest, Failure> + Send + Sync>,
    /// Turns the parameters of research into a checked plan.
    pub research: Arc<dyn Fn(ResearchParameters) -> Result<Plan, Failure> + Send + Sync>,
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

/// A question for research, as it was handed in. What is not given is a setting.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResearchParameters {
    /// The question.
    pub question: String,
    /// Folders and files (absolute paths on the server) and web addresses to answer from.
    #[serde(default)]
    pub sources: Vec<String>,
    /// Answer from the sources alone, without a model.
    #[serde(default)]
    pub offline: bool,
    /// Who answers: `gemini`, `openai`, `deep-research`, `gemini-cli`, `claude`, `codex` or `offline`.
    #[serde(default)]
    pub backend: Option<String>,
    /// The model, where it should not be the usual one.
    #[serde(default)]
    pub model: Option<String>,
    /// Whether the web may be searched; by default only without sources.
    #[serde(default)]
    pub web: Option<bool>,
    /// Sub-queries at most.
    #[serde(default)]
    #[schemars(range(min = 1, max = 100))]
    pub max_queries: Option<u32>,
    /// What it may use, such as `50k`, `$0.50` or `10m`.
    #[serde(default)]
    pub budget: Option<String>,
    /// Seconds it may take in all.
    #[serde(default)]
    #[schemars(range(min = 1, max = 86_400))]
    pub max_seconds: Option<u32>,
}

impl std::fmt::Debug for Setup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Setup")
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}
