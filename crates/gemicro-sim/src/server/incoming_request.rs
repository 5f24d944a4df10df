//! A request as it arrived.

use axum::body::Bytes;
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method};
use serde_json::Value;

use super::refusal::SimulatedRefusal;

/// Method, path, query, headers and the whole body.
pub(crate) struct IncomingRequest {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) query: Vec<(String, String)>,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// Its number in the log.
    pub(crate) number: u64,
}

impl IncomingRequest {
    /// Creates a request without its body, which is read once its size limit is known.
    pub(crate) fn new(parts: Parts) -> Self {
        Self {
            path: parts.uri.path().to_owned(),
            query: parts.uri.query().map(pairs).unwrap_or_default(),
            method: parts.method,
            headers: parts.headers,
            body: Bytes::new(),
            number: 0,
        }
    }

    /// The value of a query parameter.
    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        let found = self.query.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str())
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    pub(crate) fn header_names(&self) -> Vec<String> {
        self.headers.keys().map(|name| name.as_str().to_owned()).collect()
    }

    /// The API key, from any of the usual places.
    pub(crate) fn key(&self) -> Option<&str> {
        let bearer = self.header("authorization");
        let places = [
            self.header("x-goog-api-key"),
            self.parameter("key"),
            self.header("x-api-key"),
            bearer.map(|value| value.trim_start_matches("Bearer ")),
        ];
        places.into_iter().flatten().find(|key| !key.is_empty())
    }

    /// Everything that may be a credential, from any of the usual places. Must never be stored.
    pub(crate) fn secrets(&self) -> Vec<&str> {
        const HEADERS: [&str; 6] = [
            "x-goog-api-key",
            "authorization",
            "proxy-authorization",
            "api-key",
            "x-api-key",
            "cookie",
        ];
        const PARAMETERS: [&str; 5] = ["key", "access_token", "token", "api_key", "apikey"];
        let headers = HEADERS.iter().filter_map(|name| self.header(name));
        // `Bearer x`, `Basic x`, `name=x; other=y`: each part counts separately.
        let headers = headers.flat_map(|value| {
            let parts = value.split([' ', ';', ',']);
            parts.flat_map(|part| [part, part.split_once('=').map_or("", |(_, value)| value)])
        });
        let parameters = self.query.iter();
        let parameters =
            parameters.filter(|(name, _)| PARAMETERS.contains(&name.to_ascii_lowercase().as_str()));
        let all = headers.chain(parameters.map(|(_, value)| value.as_str()));
        all.filter(|secret| secret.len() >= 6 && !secret.eq_ignore_ascii_case("bearer"))
            .collect()
    }

    /// Whether there is a key in a place that only Google clients use.
    pub(crate) fn has_google_key(&self) -> bool {
        self.header("x-goog-api-key").is_some() || self.parameter("key").is_some()
    }

    /// Whether it comes from an Anthropic client: they send the version or their own key header.
    pub(crate) fn is_of_anthropic(&self) -> bool {
        self.header("anthropic-version").is_some() || self.header("x-api-key").is_some()
    }

    /// The body as a JSON object.
    pub(crate) fn json(&self) -> Result<Value, SimulatedRefusal> {
        let parsed: Result<Value, _> = serde_json::from_slice(&self.body);
        match parsed {
            Ok(value) if value.is_object() => Ok(value),
            Ok(_) => Err(SimulatedRefusal::invalid(
                "Invalid JSON payload received. Expected an object.",
            )),
            Err(error) => Err(SimulatedRefusal::invalid(format!(
                "Invalid JSON payload received. {error}"
            ))),
        }
    }
}

fn pairs(query: &str) -> Vec<(String, String)> {
    query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (percent_decode(name), percent_decode(value))
        })
        .collect()
}

/// Decodes percent-encoding; invalid sequences are left unchanged.
pub(crate) fn percent_decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = tail.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        let byte = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match (first, byte) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            (b'+', _) => {
                bytes.push(b' ');
                rest = tail;
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
