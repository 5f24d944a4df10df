//! HTTP responses of a simulated forge.

use std::io;

use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use serde_json::Value;

/// The answer to a call.
pub(super) struct ForgeReply {
    pub(super) status: u16,
    pub(super) body: Value,
}

impl ForgeReply {
    pub(super) fn new(status: u16, body: Value) -> Self {
        Self { status, body }
    }

    pub(super) fn response(&self) -> Response {
        response(
            self.status,
            "application/json; charset=utf-8",
            self.body.to_string(),
        )
    }
}

/// Creates a response with any content type.
pub(super) fn response(status: u16, content_type: &'static str, body: String) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    with_header(response, CONTENT_TYPE, content_type)
}

/// Creates a response whose body is cut off.
pub(super) fn broken_off() -> Response {
    let body = async_stream::stream! {
        yield Ok("{");
        yield Err(io::Error::other("the script cuts the body here"));
    };
    let mut response = Response::new(Body::from_stream(body));
    *response.status_mut() = StatusCode::CREATED;
    response
}

/// Adds a header to a response.
pub(super) fn with_header(mut response: Response, name: HeaderName, value: &str) -> Response {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
    response
}
