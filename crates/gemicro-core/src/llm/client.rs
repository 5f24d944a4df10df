//! A client for one model, for library users who want an answer without a run.

use std::sync::Arc;

use super::{LlmBackend, LlmConfig, LlmRequest, LlmResponse, generate};
use crate::error::LlmError;

/// A model client. It writes no journal and enforces no budget: an [`Agent`](crate::Agent) does both.
#[derive(Clone)]
pub struct LlmClient {
    backend: Arc<dyn LlmBackend>,
    config: LlmConfig,
}

impl LlmClient {
    /// A client that asks this backend.
    #[must_use]
    pub fn new(backend: Arc<dyn LlmBackend>, config: LlmConfig) -> Self {
        Self { backend, config }
    }

    /// A request with a plain prompt and the client's settings.
    #[must_use]
    pub fn request(&self, prompt: &str) -> LlmRequest {
        LlmRequest::new("question", prompt.to_owned(), &self.config)
    }

    /// Sends a request and waits for the whole answer.
    ///
    /// # Errors
    /// When the backend fails, is silent or takes too long, or the answer is empty, truncated or blocked.
    pub async fn generate(&self, request: LlmRequest) -> Result<LlmResponse, LlmError> {
        let answered = generate(self.backend.as_ref(), &request, None, |_| {}).await;
        answered.map_err(|failed| LlmError::from(failed.failure))
    }
}
