//! One server: sends requests, with the key where there is one.

use std::error::Error;
use std::fmt;
use std::io;
use std::net::IpAddr;
use std::sync::OnceLock;
use std::time::Duration;

use chrono::Utc;
use gemicro_event::redact::Redactor;
use gemicro_event::{ErrorKind, Failure};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, Response, Url};

use super::config::OpenAiConfig;
use super::refusal::Refusal;
use super::trouble::{Trouble, excerpt};

const CONNECT_TIME: Duration = Duration::from_secs(10);
/// How long the body of an error may take; what came by then is used.
const ERROR_BODY_TIME: Duration = Duration::from_secs(5);
/// The most that is read of an error, in bytes.
const ERROR_BYTES: usize = 64 << 10;

/// Where requests go. Making one costs nothing: the HTTP client, which loads the system's certificates, is
/// made by the first request.
pub(super) struct Endpoint {
    base: Url,
    host: String,
    authorization: Option<HeaderValue>,
    redactor: Redactor,
    http: OnceLock<Result<Client, Failure>>,
}

impl Endpoint {
    /// Checks address and key; sends nothing.
    pub(super) fn new(config: &OpenAiConfig) -> Result<Self, Failure> {
        let base = config.base().map_err(|why| {
            let shown = config.shown();
            let message = format!("`{shown}` cannot be the address of an OpenAI-compatible server: {why}");
            Failure::new(ErrorKind::InvalidInput, message)
        })?;
        let name = base.host_str().unwrap_or_default();
        let host = match base.port() {
            Some(port) => format!("{name}:{port}"),
            None => name.to_owned(),
        };
        let key = config
            .api_key
            .as_deref()
            .map(str::trim)
            .filter(|key| !key.is_empty());
        let bearer = |key: &str| {
            let mut value = HeaderValue::from_str(&format!("Bearer {key}")).map_err(|_| {
                let message = format!("the API key for {host} holds characters that no key has");
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

    /// Its name for people.
    pub(super) fn host(&self) -> &str {
        &self.host
    }

    /// Whether requests carry a key.
    pub(super) fn has_key(&self) -> bool {
        self.authorization.is_some()
    }

    /// The text without the key.
    pub(super) fn redact(&self, text: &str) -> String {
        self.redactor.redact(text).into_owned()
    }

    /// Sends a request below the base; gives the response when it is a success.
    pub(super) async fn open(
        &self,
        method: Method,
        path: &str,
        body: Option<Vec<u8>>,
    ) -> Result<Response, Trouble> {
        let client = self.http.get_or_init(|| self.client());
        let client = client
            .as_ref()
            .map_err(|failure| Trouble::Setup(failure.clone()))?;
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
        let refusal = Refusal::read(status.as_u16(), &headers, &body, Utc::now());
        Err(Trouble::Refused(Box::new(refusal)))
    }

    fn client(&self) -> Result<Client, Failure> {
        let mut builder = Client::builder()
            .connect_timeout(CONNECT_TIME)
            // The key and the prompt go to the address that was given and nowhere else.
            .redirect(Policy::none())
            .user_agent(concat!("gemicro/", env!("CARGO_PKG_VERSION")));
        if is_loopback(&self.base) {
            builder = builder.no_proxy();
        }
        if self.base.scheme() == "http" {
            // No certificates are needed, so none have to be there.
            builder = builder.tls_certs_only([]);
        }
        builder.build().map_err(|error| {
            let message = format!("the HTTP client cannot be set up: {}", root_cause(&error));
            Failure::new(ErrorKind::Internal, message)
        })
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("host", &self.host)
            .finish_non_exhaustive()
    }
}

fn is_loopback(base: &Url) -> bool {
    let host = base.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

/// Reads the body of an error as far as it comes in bounds of size and time.
async fn error_body(mut response: Response) -> Vec<u8> {
    let mut body = Vec::new();
    let reading = async {
        while let Ok(Some(chunk)) = response.chunk().await {
            let room = ERROR_BYTES - body.len();
            body.extend_from_slice(&chunk[..chunk.len().min(room)]);
            if body.len() == ERROR_BYTES {
                break;
            }
        }
    };
    // Late or not: what came is used.
    let _ = tokio::time::timeout(ERROR_BODY_TIME, reading).await;
    body
}

fn trouble_of(error: reqwest::Error) -> Trouble {
    if !error.is_connect() && !error.is_builder() {
        return Trouble::Lost(root_cause(&error));
    }
    let is_refused = causes(&error).any(|cause| {
        let cause = cause.downcast_ref::<io::Error>();
        cause.is_some_and(|cause| cause.kind() == io::ErrorKind::ConnectionRefused)
    });
    if is_refused {
        Trouble::NobodyListens
    } else {
        Trouble::Unreachable(root_cause(&error))
    }
}

/// The innermost reason; never the address, which stands in the outer ones.
pub(super) fn root_cause(error: &reqwest::Error) -> String {
    let innermost = causes(error).last();
    excerpt(&innermost.map_or_else(|| "no reason given".to_owned(), ToString::to_string))
}

/// What stands behind an error, the nearest first.
fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    let mut next = error.source();
    std::iter::from_fn(move || {
        let cause = next?;
        next = cause.source();
        Some(cause)
    })
}
