//! The OpenAI backend: checks its settings once, then passes every call to `call`.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use gemicro_core::flow::{AttemptCost, StepFailure};
use gemicro_core::llm::{LlmBackend, LlmChunk, LlmRequest};
use gemicro_event::{ErrorKind, Failure, Json};
use reqwest::Method;
use serde_json::Value;

use super::bytes::Bytes;
use super::call::{OpenAiSink, start};
use super::config::OpenAiConfig;
use super::endpoint::OpenAiEndpoint;
use super::trouble::OpenAiTrouble;

/// Maximum time for a list of models.
const LIST_TIME: Duration = Duration::from_secs(10);

/// A server with the OpenAI chat API. Cheap to create: nothing is loaded or sent before the first call.
#[derive(Debug, Clone)]
pub struct OpenAiBackend {
    endpoint: Arc<OpenAiEndpoint>,
}

impl OpenAiBackend {
    /// A backend with these settings.
    ///
    /// # Errors
    /// When the address or the key is invalid.
    pub fn new(config: OpenAiConfig) -> Result<Self, Failure> {
        Ok(Self {
            endpoint: Arc::new(OpenAiEndpoint::new(&config)?),
        })
    }

    /// The model ids of the server, in its order.
    pub fn models(&self) -> BoxFuture<'static, Result<Vec<String>, Failure>> {
        let endpoint = Arc::clone(&self.endpoint);
        Box::pin(async move {
            let listed = tokio::time::timeout(LIST_TIME, list(&endpoint)).await;
            let late = || {
                let why = format!("no list of models within {} s", LIST_TIME.as_secs());
                Err(OpenAiTrouble::Lost(why))
            };
            listed
                .unwrap_or_else(|_| late())
                .map_err(|trouble| trouble.into_failure(&endpoint))
        })
    }
}

impl LlmBackend for OpenAiBackend {
    fn name(&self) -> &str {
        "openai"
    }

    fn stream(&self, request: LlmRequest, handle: Option<Json>) -> BoxStream<'static, OpenAiSink> {
        if handle.is_some() {
            return futures_util::stream::iter([Err(no_session())]).boxed();
        }
        if request.previous.is_some() {
            return futures_util::stream::iter([Err(no_memory())]).boxed();
        }
        let endpoint = Arc::clone(&self.endpoint);
        let chunks = start(Arc::clone(&endpoint), request);
        chunks
            .map(move |chunk| match chunk {
                Ok(LlmChunk::Alarm(text)) => Ok(LlmChunk::Alarm(endpoint.redact(&text))),
                chunk => chunk,
            })
            .boxed()
    }
}

async fn list(endpoint: &OpenAiEndpoint) -> Result<Vec<String>, OpenAiTrouble> {
    let response = endpoint.open(Method::GET, "models", None).await?;
    let body = Bytes::of(response).await?.whole().await?;
    let value: Value = serde_json::from_slice(&body).unwrap_or_default();
    let Some(models) = value.get("data").and_then(Value::as_array) else {
        return Err(OpenAiTrouble::Foreign("no list of models".to_owned()));
    };
    let ids = models.iter().filter_map(|model| model.get("id")?.as_str());
    Ok(ids.map(str::to_owned).collect())
}

/// The error for a request that continues a conversation, which this API does not store.
fn no_memory() -> StepFailure {
    let message = "an OpenAI-compatible server does not store earlier calls";
    StepFailure::free(Failure::new(ErrorKind::SessionNotFound, message))
}

/// The error for a handle: calls of this API cannot be resumed, so none exists.
fn no_session() -> StepFailure {
    let message = "calls to an OpenAI-compatible server cannot be picked up again";
    StepFailure::new(
        Failure::new(ErrorKind::SessionNotFound, message),
        AttemptCost::Unknown,
    )
}
