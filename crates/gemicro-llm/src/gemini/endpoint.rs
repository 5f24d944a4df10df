//! One address of the service: sends requests with the key, and reads answers of limited size.

use std::fmt;
use std::sync::OnceLock;
use std::time::Duration;

use chrono::Utc;
use gemicro_event::redact::Redactor;
use gemicro_event::text::excerpt;
use gemicro_event::{ErrorKind, Failure};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderValue};
use reqwest::{Client, Method, RequestBuilder, Response, Url};
use serde_json::Value;

use super::config::GeminiConfig;
use super::refusal::{GeminiRefusal, REQUEST_ID};
use super::trouble::GeminiTrouble;
use crate::http::{self, ANSWER_BYTES, error_body, root_cause};

const API_VERSION: &str = "v1beta";
const KEY_HEADER: &str = "x-goog-api-key";
/// The API revision that `wire` reads. The service currently ignores it.
const REVISION: (&str, &str) = ("api-revision", "2026-05-20");

/// The target of requests. Cheap to create: the HTTP client, which loads the system's certificates, is
/// created by the first request.
pub(crate) struct GeminiEndpoint {
    base: Url,
    host: String,
    key: HeaderValue,
    redactor: Redactor,
    http: OnceLock<Result<Client, Failure>>,
}

#[derive(Debug, Clone)]
pub(crate) struct EndpointRequest {
    pub(crate) method: Method,
    /// Path after the API version.
    pub(crate) path: Vec<String>,
    pub(crate) query: Vec<(&'static str, String)>,
    pub(crate) body: Option<Vec<u8>>,
    /// The accepted content type.
    pub(crate) accept: &'static str,
    /// Maximum time for headers and body together; `None` for streams.
    pub(crate) within: Option<Duration>,
}

impl EndpointRequest {
    /// A GET with a JSON answer.
    pub(crate) fn get(path: Vec<String>, within: Duration) -> Self {
        Self {
            method: Method::GET,
            path,
            query: Vec::new(),
            body: None,
            accept: "application/json",
            within: Some(within),
        }
    }

    /// A POST with a JSON answer.
    pub(crate) fn post(path: Vec<String>, body: Vec<u8>, within: Option<Duration>) -> Self {
        Self {
            method: Method::POST,
            body: Some(body),
            within,
            ..Self::get(path, Duration::ZERO)
        }
    }
}

impl GeminiEndpoint {
    /// Checks address and key without sending anything.
    pub(crate) fn new(config: &GeminiConfig) -> Result<Self, Failure> {
        let api_key = config.api_key.trim();
        let redactor = Redactor::new([api_key]);
        let wrong = |why: &str| {
            let address = redactor.redact(&config.base_url);
            let message = format!("`{address}` is not a valid Gemini API address: {why}");
            Failure::new(ErrorKind::InvalidInput, message)
        };
        let mut base = Url::parse(&config.base_url).map_err(|error| wrong(&error.to_string()))?;
        if !matches!(base.scheme(), "http" | "https") || base.cannot_be_a_base() {
            return Err(wrong("expected http:// or https://"));
        }
        let host = http::host_of(&base).ok_or_else(|| wrong("it has no host"))?;
        if api_key.is_empty() {
            return Err(Failure::new(
                ErrorKind::AuthFailed,
                "there is no API key for Gemini",
            ));
        }
        let mut key = HeaderValue::from_str(api_key).map_err(|_| {
            Failure::new(
                ErrorKind::AuthFailed,
                "the API key contains characters that are not allowed in a key",
            )
        })?;
        key.set_sensitive(true);
        base.set_query(None);
        base.set_fragment(None);
        Ok(Self {
            base,
            host,
            key,
            redactor,
            http: OnceLock::new(),
        })
    }

    /// Its name in messages.
    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// The text without the key.
    pub(crate) fn redact(&self, text: &str) -> String {
        self.redactor.redact(text).into_owned()
    }

    /// Sends a request; returns the response if it is a success.
    pub(super) async fn open(&self, ask: EndpointRequest) -> Result<Response, GeminiTrouble> {
        let within = ask.within;
        let response = self.request(ask)?.send().await;
        let response = response.map_err(|error| trouble_of(error, within, GeminiTrouble::Lost))?;
        let status = response.status();
        let request_id = response.headers().get(REQUEST_ID).and_then(|id| id.to_str().ok());
        tracing::debug!(host = self.host, status = status.as_u16(), request_id, "answered");
        if status.is_success() {
            return Ok(response);
        }
        let headers = response.headers().clone();
        let body = error_body(response).await;
        let refusal = GeminiRefusal::read(status.as_u16(), &headers, &body, Utc::now());
        Err(GeminiTrouble::Refused(Box::new(refusal)))
    }

    /// Sends a request and parses the JSON answer.
    pub(crate) async fn json(&self, ask: EndpointRequest) -> Result<Value, GeminiTrouble> {
        let within = ask.within;
        let mut response = self.open(ask).await?;
        let mut body = Vec::new();
        loop {
            let chunk = response.chunk().await;
            let Some(chunk) = chunk.map_err(|error| trouble_of(error, within, GeminiTrouble::Cut))? else {
                break;
            };
            if body.len() + chunk.len() > ANSWER_BYTES {
                return Err(GeminiTrouble::TooLarge(ANSWER_BYTES));
            }
            body.extend_from_slice(&chunk);
        }
        serde_json::from_slice(&body).map_err(|_| {
            let start = String::from_utf8_lossy(&body[..body.len().min(2_000)]);
            GeminiTrouble::Foreign(format!("something that is not JSON: {}", excerpt(&start)))
        })
    }

    fn request(&self, ask: EndpointRequest) -> Result<RequestBuilder, GeminiTrouble> {
        let client = self.http.get_or_init(|| http::client(&self.base));
        let client = client
            .as_ref()
            .map_err(|failure| GeminiTrouble::Setup(failure.clone()))?;
        let mut builder = client
            .request(ask.method, self.url(&ask.path, &ask.query)?)
            .header(KEY_HEADER, self.key.clone())
            .header(REVISION.0, REVISION.1)
            .header(ACCEPT, ask.accept);
        if let Some(body) = ask.body {
            builder = builder.header(CONTENT_TYPE, "application/json").body(body);
        }
        if let Some(within) = ask.within {
            builder = builder.timeout(within);
        }
        Ok(builder)
    }

    fn url(&self, path: &[String], query: &[(&'static str, String)]) -> Result<Url, GeminiTrouble> {
        // An empty or dotted segment would silently name another resource.
        if let Some(part) = path.iter().find(|part| matches!(part.as_str(), "" | "." | "..")) {
            let message = format!("`{part}` is not a valid resource name at {}", self.host);
            return Err(GeminiTrouble::Setup(Failure::new(
                ErrorKind::InvalidInput,
                message,
            )));
        }
        let mut url = self.base.clone();
        if let Ok(mut parts) = url.path_segments_mut() {
            parts.pop_if_empty().push(API_VERSION).extend(path);
        }
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        Ok(url)
    }
}

impl fmt::Debug for GeminiEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GeminiEndpoint")
            .field("host", &self.host)
            .finish_non_exhaustive()
    }
}

/// Classifies an error of the HTTP client; `otherwise` is for errors after the request was sent.
pub(super) fn trouble_of(
    error: reqwest::Error,
    within: Option<Duration>,
    otherwise: fn(String) -> GeminiTrouble,
) -> GeminiTrouble {
    if error.is_connect() || error.is_builder() {
        return GeminiTrouble::Unreachable(root_cause(&error));
    }
    match within {
        Some(within) if error.is_timeout() => GeminiTrouble::Late(within),
        _ => otherwise(root_cause(&error)),
    }
}
