//! Logs all requests in order, without keys and within limits.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use gemicro_event::Timestamp;
use gemicro_event::redact::Redactor;
use serde::Serialize;
use serde_json::Value;

use super::incoming_request::IncomingRequest;
use crate::call::ModelCall;
use crate::scenario::ScenarioEndpoint;

/// Maximum total size of bodies and prompts; the oldest entries are removed first.
const BYTES: usize = 64 << 20;
/// Maximum number of entries.
const ENTRIES: usize = 20_000;
/// Headers that are logged: none of them can contain a key.
const HEADERS: &[&str] = &[
    "accept",
    "anthropic-beta",
    "anthropic-version",
    "api-revision",
    "content-type",
    "user-agent",
    "x-goog-api-client",
];

/// A request that the simulator received, without its key.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LogEntry {
    /// Its number, counted from 1.
    pub number: u64,
    /// When the request was received.
    pub at: Timestamp,
    /// The HTTP method, such as `POST`.
    pub method: String,
    /// Path and query, without a key.
    pub path: String,
    /// The endpoint, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<ScenarioEndpoint>,
    /// Model or agent in the request; empty if there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// The text of the newest turn.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub prompt: String,
    /// Headers that cannot contain a key, as name and value.
    pub headers: Vec<(String, String)>,
    /// The body, without the key; parsed if it is JSON.
    pub body: Value,
    /// The rule that applied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Status of the answer; `None` while it waits or if the client left first.
    pub status: Option<u16>,
    #[serde(skip)]
    n_bytes: usize,
}

/// The log of one simulator, with limited memory.
#[derive(Debug)]
pub struct RequestLog {
    kept: Mutex<LogContents>,
}

#[derive(Debug, Default)]
struct LogContents {
    entries: VecDeque<LogEntry>,
    n_seen: u64,
    n_dropped: u64,
    n_bytes: usize,
}

impl RequestLog {
    pub(crate) fn new() -> Self {
        Self {
            kept: Mutex::new(LogContents::default()),
        }
    }

    /// All stored entries, oldest first.
    pub fn entries(&self) -> Vec<LogEntry> {
        self.lock_entries().entries.iter().cloned().collect()
    }

    /// Number of stored requests to one endpoint.
    pub fn count(&self, endpoint: ScenarioEndpoint) -> usize {
        let kept = self.lock_entries();
        kept.entries
            .iter()
            .filter(|entry| entry.endpoint == Some(endpoint))
            .count()
    }

    /// Number of entries removed for newer ones.
    pub fn n_dropped(&self) -> u64 {
        self.lock_entries().n_dropped
    }

    /// Logs a request and returns its number.
    pub(crate) fn begin(&self, incoming: &IncomingRequest) -> u64 {
        let redactor = Redactor::new(incoming.key().into_iter().chain(incoming.secrets()));
        let text = String::from_utf8_lossy(&incoming.body);
        let text = redactor.redact(&text);
        let body = serde_json::from_str(&text).unwrap_or_else(|_| Value::String(text.into_owned()));
        let query: Vec<String> = incoming
            .query
            .iter()
            .filter(|(name, _)| name != "key")
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        let separator = if query.is_empty() { "" } else { "?" };
        let path = format!("{}{separator}{}", incoming.path, query.join("&"));
        let headers = HEADERS.iter().filter_map(|name| {
            Some((
                (*name).to_owned(),
                redactor.redact(incoming.header(name)?).into_owned(),
            ))
        });
        let mut kept = self.lock_entries();
        kept.n_seen += 1;
        let entry = LogEntry {
            number: kept.n_seen,
            at: Timestamp::now(),
            method: incoming.method.to_string(),
            path: redactor.redact(&path).into_owned(),
            endpoint: None,
            model: String::new(),
            prompt: String::new(),
            headers: headers.collect(),
            body,
            rule: None,
            status: None,
            // The prompt is stored in addition to the body.
            n_bytes: incoming.body.len() * 2,
        };
        kept.n_bytes += entry.n_bytes;
        kept.entries.push_back(entry);
        while kept.entries.len() > ENTRIES || (kept.n_bytes > BYTES && kept.entries.len() > 1) {
            if let Some(oldest) = kept.entries.pop_front() {
                kept.n_bytes -= oldest.n_bytes;
                kept.n_dropped += 1;
            }
        }
        kept.n_seen
    }

    pub(crate) fn note_call(&self, incoming: &IncomingRequest, call: &ModelCall) {
        let redactor = Redactor::new(incoming.key().into_iter().chain(incoming.secrets()));
        let prompt = redactor.redact(&call.prompt).into_owned();
        self.change(incoming.number, |entry| {
            entry.endpoint = Some(call.endpoint);
            entry.model.clone_from(&call.model);
            entry.prompt = prompt;
        });
    }

    pub(crate) fn note_rule(&self, number: u64, rule: &str) {
        self.change(number, |entry| entry.rule = Some(rule.to_owned()));
    }

    pub(crate) fn note_status(&self, number: u64, status: u16) {
        self.change(number, |entry| entry.status = Some(status));
    }

    pub(crate) fn reset(&self) {
        *self.lock_entries() = LogContents::default();
    }

    fn change(&self, number: u64, change: impl FnOnce(&mut LogEntry)) {
        let mut kept = self.lock_entries();
        // Numbers have no gaps, so the index follows from the first one.
        let first = kept.entries.front().map_or(0, |entry| entry.number);
        let place = number
            .checked_sub(first)
            .and_then(|place| usize::try_from(place).ok());
        if let Some(entry) = place.and_then(|place| kept.entries.get_mut(place)) {
            change(entry);
        }
    }

    fn lock_entries(&self) -> std::sync::MutexGuard<'_, LogContents> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Bytes;
    use axum::http::Request;

    use super::*;

    fn request(body: &'static str) -> IncomingRequest {
        let (parts, ()) = Request::builder()
            .uri("/v1/models")
            .body(())
            .unwrap()
            .into_parts();
        let mut incoming = IncomingRequest::new(parts);
        incoming.body = Bytes::from_static(body.as_bytes());
        incoming
    }

    #[test]
    fn memory_is_bounded_and_places_stay_right() {
        let log = RequestLog::new();
        for _ in 0..ENTRIES + 10 {
            log.begin(&request(""));
        }
        assert_eq!((log.entries().len(), log.n_dropped()), (ENTRIES, 10));
        let number = log.begin(&request("x"));
        log.note_status(number, 200);
        log.note_status(1, 500);
        let last = log.entries().pop().unwrap();
        assert_eq!(
            (last.number, last.status, last.body),
            (number, Some(200), Value::String("x".to_owned()))
        );
        assert!(log.entries().iter().all(|entry| entry.status != Some(500)));
    }
}
