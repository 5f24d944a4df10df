//! In which form a request may come: what its body is, and how long it may be.

use gemicro_engine::MAX_BATCH_BYTES;
use gemicro_event::{ErrorKind, Failure};
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE};
use hyper::{HeaderMap, Method, StatusCode};

use crate::trouble::Trouble;

/// The longest body, where nothing else is said.
const MAX_BODY_BYTES: usize = 1 << 20;
/// Where batches are handed in.
const BATCHES: &str = "/v1/batches";

/// Bytes that the body of a request may have.
///
/// # Errors
/// 415 when it changes something and is not JSON, which no page of a foreign site can send unasked; 413 when it says
/// that it is longer.
pub(crate) fn body_limit(method: &Method, path: &str, headers: &HeaderMap) -> Result<usize, Trouble> {
    let (limit, types): (usize, &[&str]) = match (method, path) {
        (&Method::GET | &Method::HEAD | &Method::OPTIONS, _) => (MAX_BODY_BYTES, &[]),
        (&Method::POST, BATCHES) => (MAX_BATCH_BYTES, &["application/json", "application/x-ndjson"]),
        _ => (MAX_BODY_BYTES, &["application/json"]),
    };
    if !types.is_empty() && !types.contains(&media_type(headers).as_str()) {
        let message = format!(
            "the body has to be {}: say so in Content-Type",
            types.join(" or ")
        );
        let failure = Failure::new(ErrorKind::InvalidInput, message);
        return Err(Trouble::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, failure));
    }
    let said = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    match said.and_then(|said| said.parse::<usize>().ok()) {
        Some(said) if said > limit => Err(too_long(limit)),
        Some(_) | None => Ok(limit),
    }
}

/// A body over its limit.
pub(crate) fn too_long(limit: usize) -> Trouble {
    let message = format!("the body of this request has at most {limit} bytes");
    let failure = Failure::new(ErrorKind::InvalidInput, message);
    Trouble::new(StatusCode::PAYLOAD_TOO_LARGE, failure)
}

/// The type of the body without its parameters.
fn media_type(headers: &HeaderMap) -> String {
    let mut values = headers.get_all(CONTENT_TYPE).iter();
    let value = match (values.next(), values.next()) {
        (Some(value), None) => value.to_str().unwrap_or_default(),
        _ => "",
    };
    let essence = value.split(';').next().unwrap_or_default();
    essence.trim().to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use axum::response::IntoResponse;

    use super::*;

    /// Names and values.
    type Heads<'a> = &'a [(&'static str, &'a str)];

    fn check(method: &str, path: &str, headers: Heads<'_>) -> u16 {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, value.parse().expect("a header"));
        }
        let method = Method::from_bytes(method.as_bytes()).expect("a method");
        match body_limit(&method, path, &map) {
            Ok(_) => 200,
            Err(trouble) => trouble.into_response().status().as_u16(),
        }
    }

    #[test]
    fn a_table_of_forms() {
        let json = ("content-type", "application/json");
        let lines = ("content-type", "application/x-ndjson");
        let cancel = "/v1/runs/abcd/cancel";
        let cases: &[(&str, &str, Heads<'_>, u16)] = &[
            ("GET", "/v1/runs", &[], 200),
            ("GET", "/v1/runs", &[("content-type", "text/plain")], 200),
            ("POST", BATCHES, &[json], 200),
            ("POST", BATCHES, &[lines], 200),
            (
                "POST",
                BATCHES,
                &[("content-type", "Application/JSON; charset=utf-8")],
                200,
            ),
            ("POST", BATCHES, &[], 415),
            ("POST", BATCHES, &[("content-type", "text/plain")], 415),
            ("POST", BATCHES, &[("content-type", "application/jsonp")], 415),
            ("POST", BATCHES, &[json, ("content-type", "text/plain")], 415),
            ("POST", cancel, &[json], 200),
            ("POST", cancel, &[lines], 415),
            (
                "POST",
                cancel,
                &[("content-type", "application/x-www-form-urlencoded")],
                415,
            ),
            (
                "POST",
                cancel,
                &[("content-type", "multipart/form-data; boundary=x")],
                415,
            ),
            ("DELETE", cancel, &[], 415),
            ("POST", cancel, &[json, ("content-length", "1048576")], 200),
            ("POST", cancel, &[json, ("content-length", "1048577")], 413),
            ("POST", BATCHES, &[json, ("content-length", "67108864")], 200),
            ("POST", BATCHES, &[json, ("content-length", "67108865")], 413),
            ("GET", "/v1/runs", &[("content-length", "1048577")], 413),
        ];
        for (method, path, headers, status) in cases {
            assert_eq!(
                check(method, path, headers),
                *status,
                "{method} {path} {headers:?}"
            );
        }
    }
}
