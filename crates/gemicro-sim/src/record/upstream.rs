//! The real API, as the recorder sees it.

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;

/// Answers requests; usually an HTTPS client.
pub trait RecordedUpstream: Send + Sync + 'static {
    /// Sends one request and returns the response as soon as its headers arrive.
    fn call(&self, request: UpstreamRequest) -> BoxFuture<'static, Result<UpstreamResponse, UpstreamError>>;
}

/// A request to forward. It contains the key: do not log it.
pub struct UpstreamRequest {
    /// The HTTP method, such as `POST`.
    pub method: String,
    /// Path and query, as the client sent them.
    pub path_and_query: String,
    /// Headers, without those of the connection to the recorder.
    pub headers: Vec<(String, String)>,
    /// The body, byte for byte.
    pub body: Vec<u8>,
}

/// A response to pass back.
pub struct UpstreamResponse {
    /// The HTTP status of the real API.
    pub status: u16,
    /// Header names and values, in order.
    pub headers: Vec<(String, String)>,
    /// The body as it arrives.
    pub body: BoxStream<'static, Result<Vec<u8>, UpstreamError>>,
}

/// The real API was not reached, or the connection broke.
#[derive(Debug, Clone, thiserror::Error)]
#[error("upstream: {0}")]
pub struct UpstreamError(pub String);
