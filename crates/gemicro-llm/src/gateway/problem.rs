//! An error of ours on its way to a client.

use std::convert::Infallible;

use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Response, StatusCode};

use super::wire::AgentApi;

/// An answer to a client.
pub(super) type ClientReply = Response<ReplyBody>;
/// Its body; an error in it ends the connection, so that the client sees that something is missing.
pub(super) type ReplyBody = UnsyncBoxBody<Bytes, TruncatedAnswer>;

/// The answer was cut off.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the answer was cut off")]
pub(super) struct TruncatedAnswer;

/// What is wrong with a request, or with upstream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GatewayProblem {
    pub(super) status: u16,
    /// A word for programs.
    pub(super) code: &'static str,
    pub(super) message: String,
}

impl GatewayProblem {
    pub(super) fn new(status: u16, code: &'static str, message: impl Into<String>) -> Self {
        Self {
            status,
            code,
            message: message.into(),
        }
    }

    /// Neither token nor key.
    pub(super) fn unauthorised() -> Self {
        Self::new(
            401,
            "invalid_api_key",
            "the gateway of gemicro does not know this API key",
        )
    }

    /// A path that is not served.
    pub(super) fn not_found() -> Self {
        Self::new(
            404,
            "not_found",
            "the gateway of gemicro does not serve this path",
        )
    }

    /// A request that cannot be read.
    pub(super) fn bad(message: impl Into<String>) -> Self {
        Self::new(400, "invalid_request", message)
    }

    /// As this API says it. Clients that know the header do not try again.
    pub(super) fn reply(&self, wire: AgentApi) -> ClientReply {
        let mut reply = full(Bytes::from(wire.rules().error(self).to_string()));
        *reply.status_mut() = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let headers = reply.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if self.status < 500 {
            headers.insert("x-should-retry", HeaderValue::from_static("false"));
        }
        reply
    }
}

/// An answer of known bytes.
pub(super) fn full(bytes: Bytes) -> ClientReply {
    let never = |never: Infallible| match never {};
    Response::new(Full::new(bytes).map_err(never).boxed_unsync())
}
