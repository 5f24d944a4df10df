//! Tracks unanswered requests of sessions. A second request with the id of an open one is refused here, because the SDK
//! would give the answer of the first to the second.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hyper::HeaderMap;
use hyper::header::HeaderName;
use rmcp::model::RequestId;
use serde::Deserialize;
use serde_json::Value;

use crate::unique_ids::duplicate_id;

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

/// Session and id of each open request.
#[derive(Debug, Clone, Default)]
pub(super) struct OpenRequests(Arc<Mutex<HashSet<(String, RequestId)>>>);

/// An open request; removed when this is dropped.
#[derive(Debug)]
pub(super) struct OpenRequest {
    all: OpenRequests,
    key: Option<(String, RequestId)>,
}

#[derive(Deserialize)]
struct RequestLabel {
    id: RequestId,
    #[serde(rename = "method")]
    _method: String,
}

impl OpenRequests {
    /// Begins a request. Requests without a session and messages that are not requests cannot be confused.
    ///
    /// # Errors
    /// The JSON-RPC answer to a request whose id is in use.
    pub(super) fn begin(&self, headers: &HeaderMap, body: &[u8]) -> Result<OpenRequest, Value> {
        let session = headers.get(SESSION).and_then(|session| session.to_str().ok());
        let named = serde_json::from_slice::<RequestLabel>(body).ok();
        let key = session
            .zip(named)
            .map(|(session, named)| (session.to_owned(), named.id));
        if let Some(key) = &key
            && !self.keys().insert(key.clone())
        {
            let error = duplicate_id(&key.1);
            return Err(serde_json::json!({ "jsonrpc": "2.0", "id": key.1, "error": error }));
        }
        Ok(OpenRequest {
            all: self.clone(),
            key,
        })
    }

    fn keys(&self) -> MutexGuard<'_, HashSet<(String, RequestId)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        if let Some(key) = &self.key {
            self.all.keys().remove(key);
        }
    }
}
