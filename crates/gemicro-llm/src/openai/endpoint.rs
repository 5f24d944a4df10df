//! One server: sends requests, with the key if there is one.

use std::fmt;
use std::io;
use std::sync::OnceLock;

use chrono::Utc;
use gemicro_event::redact::Redactor;
use gemicro_event::{ErrorKind, Failure};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Client, Method, Response, Url};

use super::config::OpenAiConfig;
use super::refusal::OpenAiRefusal;
use super::trouble::OpenAiTrouble;
use crate::http::{self, causes, error_body, root_cause};

/// The target of requests. Cheap to create: the HTTP client, which loads the system's certificates, is
/// created by the first request.
pub(super) struct OpenAiEndpoint {
    base: Url,
    host: String,
    authorization: Option<HeaderValue>,
    redactor: Redactor,
    http: OnceLock<Result<Client, Failure>>,
}

impl OpenAiEndpoint {
    /// Checks address and key without sending anything.
    pub(super) fn new(config: &OpenAiConfig) -> Result<Self, Failure> {
        let base = config.base().map_err(|why| {
            let shown = config.shown_url();
            let message = format!("`{shown}` is not a valid address of an OpenAI-compatible server: {why}");
            Failure::new(ErrorKind::InvalidInput, message)
        })?;
        let host = http::host_of(&base).unwrap_or_default();
        let key = config
            .api_key
            .as_deref()
            .map(str::trim)
            .filter(|key| !key.is_empty());
        let bearer = |key: &str| {
            let mut value = HeaderValue::from_str(&format!("Bearer {key}")).map_err(|_| {
                let message =
                    format!("the API key for {host} contains characters that are not allowed in a key");
                Failure::new(ErrorKind::AuthFailed, message)
            })?;
            value.set_sensitive(true);
            Ok::<_, Failure>(value)
        };
        let authorization = key.map(bearer).transpose()?;
        let redactor = Redactor::new(key.into_iter().chain(base.password()));
        Ok(Self {
            base,
            host,
            authorization,
            redactor,
            http: OnceLock::new(),
        })
    }

    /// Its name in messages.
    pub(super) fn host(&self) -> &str {
        &self.host
    }

    /// Whether requests contain a key.
    pub(super) fn has_key(&self) -> bool {
        self.authorization.is_some()
    }

    /// The text without the key.
    pub(super) fn redact(&self, text: &str) -> String {
        self.redactor.redact(text).into_owned()
    }

    /// Sends a request to a path under the base address; returns the response if it is a success.
    pub(super) async fn open(
        &self,
        method: Method,
        path: &str,
        body: Option<Vec<u8>>,
    ) -> Result<Response, OpenAiTrouble> {
        let client = self.http.get_or_init(|| http::client(&self.base));
        let client = client
            .as_ref()
            .map_err(|failure| OpenAiTrouble::Setup(failure.clone()))?;
        let mut url = self.base.clone();
        url.set_path(&format!("{}/{path}", self.base.path()));
        let mut builder = client.request(method, url);
        if let Some(authorization) = &self.authorization {
            builder = builder.header(AUTHORIZATION, authorization.clone());
        }
        if let Some(body) = body {
            builder = builder.header(CONTENT_TYPE, "application/json").body(body);
        }
        let response = builder.send().await.map_err(trouble_of)?;
        let status = response.status();
        tracing::debug!(host = self.host, status = status.as_u16(), path, "answered");
        if status.is_success() {
            return Ok(response);
        }
        let headers = response.headers().clone();
        let body = error_body(response).await;
        let refusal = OpenAiRefusal::read(status.as_u16(), &headers, &body, Utc::now());
        Err(OpenAiTrouble::Refused(Box::new(refusal)))
    }
}

impl fmt::Debug for OpenAiEndpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAiEndpoint")
            .field("host", &self.host)
            .finish_non_exhaustive()
    }
}

fn trouble_of(error: reqwest::Error) -> OpenAiTrouble {
    if !error.is_connect() && !error.is_builder() {
        return OpenAiTrouble::Lost(root_cause(&error));
    }
    let is_refused = causes(&error).any(|cause| {
        let cause = cause.downcast_ref::<io::Error>();
        cause.is_some_and(|cause| cause.kind() == io::ErrorKind::ConnectionRefused)
    });
    if is_refused {
        OpenAiTrouble::ConnectionRefused
    } else {
        OpenAiTrouble::Unreachable(root_cause(&error))
    }
}
