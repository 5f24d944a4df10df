//! The real API behind a recorder, over HTTP or HTTPS.

use std::error::Error;
use std::sync::OnceLock;
use std::time::Duration;

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use gemicro_sim::{RecordedUpstream, UpstreamError, UpstreamRequest, UpstreamResponse};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method, Url};

use crate::command_error::CommandError;

/// Maximum time to establish a connection.
const CONNECT: Duration = Duration::from_secs(10);

/// Forwards requests to one URL.
#[derive(Debug)]
pub(super) struct HttpUpstream {
    base: Url,
    /// Created for the first request: it reads the system's certificates.
    client: OnceLock<Client>,
}

impl HttpUpstream {
    /// The API at a URL.
    ///
    /// # Errors
    /// When it is not a URL, or contains parts that belong to a request.
    pub(super) fn new(base: &str) -> Result<Self, CommandError> {
        let refuse = |why: String| {
            let hint = "write it like this: --upstream https://generativelanguage.googleapis.com";
            CommandError::usage(format!("--upstream {why}"), hint)
        };
        let base = Url::parse(base).map_err(|error| refuse(format!("is not an address: {error}")))?;
        if !matches!(base.scheme(), "http" | "https") {
            return Err(refuse("must start with https:// or http://".to_owned()));
        }
        let has_more = base.query().is_some() || base.fragment().is_some();
        if has_more || !base.username().is_empty() || base.password().is_some() {
            let why = "must not contain a user name, a key or a query";
            return Err(refuse(why.to_owned()));
        }
        Ok(Self {
            base,
            client: OnceLock::new(),
        })
    }

    /// The host of the URL.
    pub(super) fn host(&self) -> &str {
        self.base.host_str().unwrap_or_default()
    }

    fn client(&self) -> Result<Client, UpstreamError> {
        if let Some(client) = self.client.get() {
            return Ok(client.clone());
        }
        // A redirect is a response like any other: the caller decides.
        let builder = gemicro_client::builder_for(&self.base).connect_timeout(CONNECT);
        let client = builder.build().map_err(|error| UpstreamError(whole(&error)))?;
        Ok(self.client.get_or_init(|| client).clone())
    }

    fn target(&self, path_and_query: &str) -> Result<Url, UpstreamError> {
        let base = self.base.as_str().trim_end_matches('/');
        Url::parse(&format!("{base}{path_and_query}")).map_err(|error| UpstreamError(error.to_string()))
    }
}

impl RecordedUpstream for HttpUpstream {
    fn call(&self, request: UpstreamRequest) -> BoxFuture<'static, Result<UpstreamResponse, UpstreamError>> {
        let prepared = self
            .client()
            .and_then(|client| Ok((client, self.target(&request.path_and_query)?)));
        Box::pin(async move {
            let (client, target) = prepared?;
            let method = Method::from_bytes(request.method.as_bytes())
                .map_err(|error| UpstreamError(error.to_string()))?;
            let response = client
                .request(method, target)
                .headers(headers(&request.headers))
                .body(request.body)
                .send()
                .await
                // A URL may contain the key.
                .map_err(|error| UpstreamError(whole(&error.without_url())))?;
            let headers = response
                .headers()
                .iter()
                .filter_map(|(name, value)| Some((name.to_string(), value.to_str().ok()?.to_owned())));
            Ok(UpstreamResponse {
                status: response.status().as_u16(),
                headers: headers.collect(),
                body: Box::pin(response.bytes_stream().map(|piece| match piece {
                    Ok(bytes) => Ok(bytes.to_vec()),
                    Err(error) => Err(UpstreamError(whole(&error.without_url()))),
                })),
            })
        })
    }
}

fn headers(pairs: &[(String, String)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            headers.append(name, value);
        }
    }
    headers
}

/// An error with its causes: the outermost one alone says little.
fn whole(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}
