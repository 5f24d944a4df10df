//! The way out: builds the request to the provider, with the key, from what was understood.

use hyper::body::Bytes;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, http};
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, USER_AGENT};

use super::account::GrantAccount;

/// Headers of an answer that end here: those of one connection, and those that could lead elsewhere.
const NOT_RETURNED: [&str; 15] = [
    "alt-svc",
    "authorization",
    "connection",
    "content-encoding",
    "content-length",
    "keep-alive",
    "location",
    "proxy-authenticate",
    "proxy-connection",
    "refresh",
    "set-cookie",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// A request to the provider.
pub(super) struct OutgoingRequest<'a> {
    pub(super) method: &'a Method,
    pub(super) path: &'a [String],
    pub(super) query: Option<&'a str>,
    /// What the client sent; a few of them go on.
    pub(super) headers: &'a HeaderMap,
    pub(super) body: Option<Bytes>,
}

/// The request, ready to be sent.
pub(super) fn request(step: &GrantAccount, outgoing: OutgoingRequest<'_>) -> reqwest::RequestBuilder {
    let rules = step.grant.wire.rules();
    let mut headers = HeaderMap::new();
    for (name, value) in outgoing.headers {
        let passes = [ACCEPT, USER_AGENT].contains(name) || rules.passes(name.as_str());
        if passes && *name != rules.key_header() {
            headers.append(name, value.clone());
        }
    }
    // Usage must be readable on its way back.
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    if let Some(key) = &step.grant.key {
        let (name, value) = if key.is_login() {
            let bearer = HeaderValue::from_str(&format!("Bearer {}", key.expose()));
            (AUTHORIZATION, bearer.ok())
        } else {
            (rules.key_header(), rules.key_value(key.expose()))
        };
        if let Some(mut value) = value {
            value.set_sensitive(true);
            headers.insert(name, value);
        }
    }
    let url = step.grant.upstream.url(outgoing.path, outgoing.query);
    let mut builder = step.client.request(outgoing.method.clone(), url);
    if let Some(body) = outgoing.body {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
        builder = builder.body(body);
    }
    builder.headers(headers)
}

/// The headers of an answer that go back to the client.
pub(super) fn returned_headers(step: &GrantAccount, headers: &HeaderMap) -> HeaderMap {
    let named = headers.get_all(http::header::CONNECTION).iter();
    let of_connection: Vec<String> = named
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(',').map(|name| name.trim().to_ascii_lowercase()))
        .collect();
    let ends_here = |name: &HeaderName| {
        NOT_RETURNED.contains(&name.as_str()) || of_connection.iter().any(|other| other == name.as_str())
    };
    let mut kept = HeaderMap::new();
    for (name, value) in headers {
        let has_key = step.mask.finds(value.as_bytes()) || step.mask.finds_in_name(name.as_str());
        if !ends_here(name) && !has_key {
            kept.append(name, value.clone());
        }
    }
    kept
}
