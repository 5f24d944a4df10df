//! What a request says, read strictly: the id in its path, its query, its JSON body.

use axum::extract::{FromRequestParts, Query, RawPathParams};
use gemicro_event::StreamId;
use hyper::body::Bytes;
use hyper::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::trouble::Trouble;

/// The `{id}` of a path: 1 to 64 letters, digits, `_` or `-`; the whole id, or its beginning.
pub(crate) struct Id(pub(crate) StreamId);

/// The `{name}` of a path.
pub(crate) struct Name(pub(crate) String);

/// The query of an address; words that the route does not know are refused.
pub(crate) struct Asked<T>(pub(crate) T);

impl<S: Send + Sync> FromRequestParts<S> for Id {
    type Rejection = Trouble;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Trouble> {
        let text = in_path(parts, state, "id").await?;
        StreamId::new(text)
            .map(Self)
            .map_err(|error| Trouble::invalid(error.to_string()))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Name {
    type Rejection = Trouble;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Trouble> {
        in_path(parts, state, "name").await.map(Self)
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Asked<T> {
    type Rejection = Trouble;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Trouble> {
        match Query::<T>::from_request_parts(parts, state).await {
            Ok(Query(asked)) => Ok(Self(asked)),
            Err(rejection) => Err(Trouble::invalid(format!("the query: {}", rejection.body_text()))),
        }
    }
}

async fn in_path<S: Send + Sync>(parts: &mut Parts, state: &S, name: &str) -> Result<String, Trouble> {
    let bad = || Trouble::invalid("the path cannot be read");
    let all = RawPathParams::from_request_parts(parts, state)
        .await
        .map_err(|_| bad())?;
    let found = all.iter().find(|(key, _)| *key == name);
    found.map(|(_, value)| value.to_owned()).ok_or_else(bad)
}

/// A body of JSON; the error names the place that does not fit. No body is the same as an empty object.
pub(crate) fn read<T: DeserializeOwned>(body: &Bytes) -> Result<T, Trouble> {
    let body: &[u8] = if body.trim_ascii().is_empty() { b"{}" } else { body };
    let mut deserializer = serde_json::Deserializer::from_slice(body);
    let read = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
        let path = error.path().to_string();
        let place = if path == "." {
            "the body".to_owned()
        } else {
            format!("`{path}`")
        };
        Trouble::invalid(format!("{place}: {}", error.into_inner()))
    })?;
    match deserializer.end() {
        Ok(()) => Ok(read),
        Err(error) => Err(Trouble::invalid(format!("the body: {error}"))),
    }
}
