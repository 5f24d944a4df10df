//! The Gemini backend: checks its settings once, then passes every call to `call`.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use gemicro_core::flow::{AttemptCost, StepFailure};
use gemicro_core::llm::{LlmBackend, LlmChunk, LlmRequest};
use gemicro_event::{ErrorKind, Failure, Json};
use serde_json::Value;

use super::call::{GeminiCall, pick_up, start};
use super::config::GeminiConfig;
use super::endpoint::{EndpointRequest, GeminiEndpoint};
use super::listener::GeminiChunk;
use super::trouble::RequestSubject;
use crate::rest::GeminiRest;

/// Maximum time for cancelling a call at the provider.
const CANCEL_TIME: Duration = Duration::from_millis(1_500);

/// Models of the Gemini Interactions API. Cheap to make: nothing is loaded or sent before the first call.
#[derive(Debug, Clone)]
pub struct GeminiBackend {
    endpoint: Arc<GeminiEndpoint>,
    poll: Duration,
    max_resumes: u32,
}

impl GeminiBackend {
    /// A backend with these settings.
    ///
    /// # Errors
    /// When the address is invalid or there is no usable key.
    pub fn new(config: GeminiConfig) -> Result<Self, Failure> {
        Ok(Self {
            endpoint: Arc::new(GeminiEndpoint::new(&config)?),
            poll: config.poll,
            max_resumes: config.max_resumes,
        })
    }

    /// Model and token queries over the same connections.
    #[must_use]
    pub fn rest(&self) -> GeminiRest {
        GeminiRest::over(Arc::clone(&self.endpoint))
    }
}

impl LlmBackend for GeminiBackend {
    fn name(&self) -> &str {
        "gemini"
    }

    fn stream(&self, request: LlmRequest, handle: Option<Json>) -> BoxStream<'static, GeminiChunk> {
        let call = GeminiCall {
            endpoint: Arc::clone(&self.endpoint),
            poll: self.poll,
            max_resumes: self.max_resumes,
            request,
        };
        let chunks = match handle.map(|handle| interaction_of(&handle, self.endpoint.host())) {
            None => start(call),
            Some(Ok(id)) => pick_up(call, id),
            Some(Err(why)) => futures_util::stream::iter([Err(why)]).boxed(),
        };
        let endpoint = Arc::clone(&self.endpoint);
        chunks.map(move |chunk| without_key(&endpoint, chunk)).boxed()
    }

    fn count_input(&self, request: &LlmRequest) -> BoxFuture<'static, Option<u64>> {
        let rest = self.rest();
        let model = request.model.clone();
        let system = request.system.as_deref().unwrap_or_default();
        let text = format!("{system}\n{}", request.prompt);
        Box::pin(async move {
            let counted = rest.count_tokens(&model, &text).await;
            counted
                .inspect_err(|failure| tracing::debug!(message = failure.message, "tokens cannot be counted"))
                .ok()
        })
    }

    fn cancel(&self, handle: Json) -> BoxFuture<'static, ()> {
        let endpoint = Arc::clone(&self.endpoint);
        Box::pin(async move {
            let Ok(id) = interaction_of(&handle, endpoint.host()) else {
                return;
            };
            let path = vec!["interactions".to_owned(), id, "cancel".to_owned()];
            let ask = EndpointRequest::post(path, b"{}".to_vec(), Some(CANCEL_TIME));
            // The second limit also covers connecting.
            let asked = tokio::time::timeout(CANCEL_TIME, endpoint.json(ask)).await;
            match asked {
                Ok(Ok(_)) => {}
                Ok(Err(trouble)) => {
                    let failure = trouble.into_failure(endpoint.host(), RequestSubject::Interaction);
                    let message = endpoint.redact(&failure.message);
                    tracing::debug!(message, "the interaction could not be cancelled");
                }
                Err(_) => tracing::debug!(host = endpoint.host(), "cancelling took too long"),
            }
        })
    }
}

/// The interaction id in a handle of this host. Handles of older versions name no host.
fn interaction_of(handle: &Json, host: &str) -> Result<String, StepFailure> {
    let text = |key: &str| handle.get(key).and_then(Value::as_str);
    let why = match (text("interaction"), text("host")) {
        (Some(_), Some(other)) if other != host => {
            format!("the earlier call was made at {other}, and {host} does not know it")
        }
        (Some(id), _) if !id.is_empty() => return Ok(id.to_owned()),
        (_, _) => "the handle of the earlier call names no Gemini interaction".to_owned(),
    };
    Err(StepFailure::new(
        Failure::new(ErrorKind::SessionNotFound, why),
        AttemptCost::Unknown,
    ))
}

/// Redacts the key, which the service may quote.
fn without_key(endpoint: &GeminiEndpoint, chunk: GeminiChunk) -> GeminiChunk {
    match chunk {
        Ok(LlmChunk::Alarm(text)) => Ok(LlmChunk::Alarm(endpoint.redact(&text))),
        Ok(chunk) => Ok(chunk),
        Err(failed) => Err(StepFailure {
            failure: redact_failure(endpoint, failed.failure),
            ..failed
        }),
    }
}

/// A failure without the key.
pub(crate) fn redact_failure(endpoint: &GeminiEndpoint, failure: Failure) -> Failure {
    let detail = failure.detail.map(|detail| endpoint.redact(detail.text()));
    Failure {
        message: endpoint.redact(&failure.message),
        detail: detail.and_then(|detail| Json::from_text(&detail).ok()),
        ..failure
    }
}
