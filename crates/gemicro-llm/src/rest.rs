//! Queries models and token counts, for `gemicro doctor`: the parts of the Gemini API outside Interactions.

use std::sync::Arc;
use std::time::Duration;

use gemicro_event::{ErrorKind, Failure};
use serde_json::{Value, json};

use crate::gemini::{EndpointRequest, GeminiConfig, GeminiEndpoint, RequestSubject, redact_failure};

/// Maximum time for a query.
const TIME: Duration = Duration::from_secs(30);
/// Number of models per page, and maximum number of pages.
const PAGE_SIZE: &str = "1000";
const MOST_PAGES: usize = 20;

/// Queries the service. Cheap to create: nothing is loaded or sent before the first query.
#[derive(Debug, Clone)]
pub struct GeminiRest {
    endpoint: Arc<GeminiEndpoint>,
}

/// The service's information about a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelInfo {
    /// Its id, without `models/`.
    pub id: String,
    /// Maximum number of input tokens.
    pub input_limit: Option<u64>,
    /// Maximum number of output tokens.
    pub output_limit: Option<u64>,
}

impl GeminiRest {
    /// A client with these settings.
    ///
    /// # Errors
    /// When the address is invalid or there is no usable key.
    pub fn new(config: &GeminiConfig) -> Result<Self, Failure> {
        Ok(Self::over(Arc::new(GeminiEndpoint::new(config)?)))
    }

    pub(crate) fn over(endpoint: Arc<GeminiEndpoint>) -> Self {
        Self { endpoint }
    }

    /// The number of tokens of a text for a model.
    ///
    /// # Errors
    /// When the service cannot be reached, refuses, or gives an unexpected answer.
    pub async fn count_tokens(&self, model: &str, text: &str) -> Result<u64, Failure> {
        let id = model.strip_prefix("models/").unwrap_or(model);
        let path = vec!["models".to_owned(), format!("{id}:countTokens")];
        let body = json!({ "contents": [{ "role": "user", "parts": [{ "text": text }] }] });
        let ask = EndpointRequest::post(path, body.to_string().into_bytes(), Some(TIME));
        let answer = self.ask(ask, RequestSubject::Model(id)).await?;
        let tokens = answer.get("totalTokens").and_then(Value::as_u64);
        tokens.ok_or_else(|| self.foreign("an answer without `totalTokens`"))
    }

    /// The models that the key may use.
    ///
    /// # Errors
    /// When the service cannot be reached, refuses, or gives an unexpected answer.
    pub async fn models(&self) -> Result<Vec<ModelInfo>, Failure> {
        let mut models = Vec::new();
        let mut page_token: Option<String> = None;
        for _ in 0..MOST_PAGES {
            let mut ask = EndpointRequest::get(vec!["models".to_owned()], TIME);
            ask.query.push(("pageSize", PAGE_SIZE.to_owned()));
            if let Some(token) = page_token.take() {
                ask.query.push(("pageToken", token));
            }
            let page = self.ask(ask, RequestSubject::Service).await?;
            let Some(listed) = page.get("models").and_then(Value::as_array) else {
                // The last page may be empty, but not the first.
                if models.is_empty() {
                    return Err(self.foreign("an answer without `models`"));
                }
                break;
            };
            models.extend(listed.iter().filter_map(model_of));
            page_token = page
                .get("nextPageToken")
                .and_then(Value::as_str)
                .map(str::to_owned);
            if page_token.as_deref().is_none_or(str::is_empty) {
                break;
            }
        }
        Ok(models)
    }

    async fn ask(&self, ask: EndpointRequest, subject: RequestSubject<'_>) -> Result<Value, Failure> {
        let answer = self.endpoint.json(ask).await;
        answer.map_err(|trouble| {
            let failure = trouble.into_failure(self.endpoint.host(), subject);
            redact_failure(&self.endpoint, failure)
        })
    }

    fn foreign(&self, what: &str) -> Failure {
        let host = self.endpoint.host();
        let message = format!("the endpoint at {host} does not speak the Gemini API: it sent {what}");
        Failure::new(ErrorKind::MalformedOutput, message)
    }
}

fn model_of(value: &Value) -> Option<ModelInfo> {
    let name = value.get("name")?.as_str()?;
    let limit = |field: &str| value.get(field).and_then(Value::as_u64);
    Some(ModelInfo {
        id: name.strip_prefix("models/").unwrap_or(name).to_owned(),
        input_limit: limit("inputTokenLimit"),
        output_limit: limit("outputTokenLimit"),
    })
}
