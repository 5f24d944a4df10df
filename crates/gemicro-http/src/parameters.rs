//! Parses requests strictly: the id in the path, the query, the JSON body.

use axum::extract::{FromRequest, FromRequestParts, Query, RawPathParams, Request};
use gemicro_event::{ErrorKind, Failure, StreamId};
use hyper::body::Bytes;
use hyper::header::CONTENT_TYPE;
use hyper::http::request::Parts;
use hyper::{HeaderMap, StatusCode};
use serde::de::DeserializeOwned;

use crate::trouble::HttpTrouble;

/// The `{id}` of a path: 1 to 64 letters, digits, `_` or `-`; the whole id or a prefix of it.
pub(crate) struct Id(pub(crate) StreamId);

/// The `{name}` of a path.
pub(crate) struct NamePath(pub(crate) String);

/// The query of a URL; unknown parameters are refused.
pub(crate) struct QueryParameters<T>(pub(crate) T);

/// A body with a JSON content type. Pages of other sites cannot send one without permission (CORS).
pub(crate) struct JsonBody(pub(crate) Bytes);

/// A body of JSON or JSON lines.
pub(crate) struct BatchBytes(pub(crate) Bytes);

const JSON: &str = "application/json";
const JSON_LINES: &str = "application/x-ndjson";

impl<S: Send + Sync> FromRequest<S> for JsonBody {
    type Rejection = HttpTrouble;

    async fn from_request(request: Request, state: &S) -> Result<Self, HttpTrouble> {
        body_of_type(request, state, &[JSON]).await.map(Self)
    }
}

impl<S: Send + Sync> FromRequest<S> for BatchBytes {
    type Rejection = HttpTrouble;

    async fn from_request(request: Request, state: &S) -> Result<Self, HttpTrouble> {
        body_of_type(request, state, &[JSON, JSON_LINES]).await.map(Self)
    }
}

async fn body_of_type<S: Send + Sync>(
    request: Request,
    state: &S,
    types: &[&str],
) -> Result<Bytes, HttpTrouble> {
    if !types.contains(&media_type(request.headers()).as_str()) {
        let message = format!("send the body as {} and set Content-Type", types.join(" or "));
        let failure = Failure::new(ErrorKind::InvalidInput, message);
        return Err(HttpTrouble::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, failure));
    }
    let body = Bytes::from_request(request, state).await;
    body.map_err(|rejection| HttpTrouble::invalid(rejection.body_text()))
}

/// Returns the content type of the body, without its parameters.
fn media_type(headers: &HeaderMap) -> String {
    let mut values = headers.get_all(CONTENT_TYPE).iter();
    let value = match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().unwrap_or_default(),
        _ => "",
    };
    let essence = value.split(';').next().unwrap_or_default();
    essence.trim().to_ascii_lowercase()
}

impl<S: Send + Sync> FromRequestParts<S> for Id {
    type Rejection = HttpTrouble;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, HttpTrouble> {
        let text = in_path(parts, state, "id").await?;
        StreamId::new(text)
            .map(Self)
            .map_err(|error| HttpTrouble::invalid(error.to_string()))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for NamePath {
    type Rejection = HttpTrouble;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, HttpTrouble> {
        in_path(parts, state, "name").await.map(Self)
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for QueryParameters<T> {
    type Rejection = HttpTrouble;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, HttpTrouble> {
        match Query::<T>::from_request_parts(parts, state).await {
            Ok(Query(asked)) => Ok(Self(asked)),
            Err(rejection) => Err(HttpTrouble::invalid(format!(
                "the query: {}",
                rejection.body_text()
            ))),
        }
    }
}

async fn in_path<S: Send + Sync>(parts: &mut Parts, state: &S, name: &str) -> Result<String, HttpTrouble> {
    let bad = || HttpTrouble::invalid("the path cannot be read");
    let all = RawPathParams::from_request_parts(parts, state)
        .await
        .map_err(|_| bad())?;
    let found = all.iter().find(|(key, _)| *key == name);
    found.map(|(_, value)| value.to_owned()).ok_or_else(bad)
}

/// Parses a JSON body; the error names the invalid field. No body is the same as an empty object.
pub(crate) fn read<T: DeserializeOwned>(body: &Bytes) -> Result<T, HttpTrouble> {
    let body: &[u8] = if body.trim_ascii().is_empty() { b"{}" } else { body };
    // Serde would also accept the fields as an array, in order.
    if body.trim_ascii_start().starts_with(b"[") {
        return Err(HttpTrouble::invalid("the body: expected an object, not an array"));
    }
    let mut deserializer = serde_json::Deserializer::from_slice(body);
    let read = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let path = error.path().to_string();
        let place = if path == "." {
            "the body".to_owned()
        } else {
            format!("`{path}`")
        };
        HttpTrouble::invalid(format!("{place}: {}", error.into_inner()))
    })?;
    match deserializer.end() {
        Ok(()) => Ok(read),
        Err(error) => Err(HttpTrouble::invalid(format!("the body: {error}"))),
    }
}
