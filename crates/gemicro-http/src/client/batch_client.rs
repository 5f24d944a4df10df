//! The client for the batch routes.

use std::time::Duration;

use gemicro_engine::{BatchAnswer, BatchError, BatchRow, BatchStatus, MAX_BATCH_BYTES};
use gemicro_event::{ErrorKind, Failure, StreamId};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Method, RequestBuilder, Url};
use serde::Serialize;
use tokio::time::Instant;

use super::answer::{read, unreachable};
use crate::routes::{BatchList, CancelBody, MAX_WAIT, RetryBody};

/// Maximum time to connect.
const CONNECT_WITHIN: Duration = Duration::from_secs(10);
/// Maximum silence of the server, including long polls.
const SILENT_FOR: Duration = Duration::from_secs(MAX_WAIT + 30);
/// The header for the key of a batch.
const KEY: &str = "Idempotency-Key";

/// A client for the batches of a server.
///
/// ```no_run
/// # async fn example() -> Result<(), gemicro_event::Failure> {
/// let client = gemicro_http::client::BatchClient::new("http://127.0.0.1:8737", "the token")?;
/// let tasks = br#"[{"task_id": "a", "type": "execute_shell_command", "parameters": {"command": "ls"}}]"#;
/// let first = client.submit(tasks.to_vec(), Some("nightly-42")).await?;
/// let done = client.wait(&first.response_id, None).await?;
/// assert_eq!(done.results[0].task_id, "a");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct BatchClient {
    http: reqwest::Client,
    server: Url,
}

impl BatchClient {
    /// Creates a client for the server at an address such as `http://127.0.0.1:8737`. It does not connect yet.
    ///
    /// # Errors
    /// `invalid_input` if the address is invalid, or the token cannot be sent in a header.
    pub fn new(server: &str, token: &str) -> Result<Self, Failure> {
        let invalid = |message: String| Failure::new(ErrorKind::InvalidInput, message);
        let mut server =
            Url::parse(server).map_err(|error| invalid(format!("`{server}` is not a URL: {error}")))?;
        if !["http", "https"].contains(&server.scheme()) || server.cannot_be_a_base() {
            return Err(invalid(format!("`{server}` is not an http or https URL")));
        }
        // Paths are appended to it.
        if !server.path().ends_with('/') {
            server.set_path(&format!("{}/", server.path()));
        }
        let mut bearer = HeaderValue::from_str(&format!("Bearer {}", token.trim())).map_err(|_| {
            invalid("the token contains characters that are not allowed in a header".to_owned())
        })?;
        bearer.set_sensitive(true);
        let http = gemicro_client::builder()
            .default_headers(HeaderMap::from_iter([(AUTHORIZATION, bearer)]))
            .connect_timeout(CONNECT_WITHIN)
            .read_timeout(SILENT_FOR)
            .no_proxy()
            .build();
        let http = http.map_err(|error| Failure::new(ErrorKind::Internal, error.to_string()))?;
        Ok(Self { http, server })
    }

    /// Submits a batch: an array of tasks, one task per line, or an object with `tasks`. Submitting it again with the
    /// same key does not create a second batch.
    ///
    /// # Errors
    /// `invalid_input` with the position of the error; `conflict` if the key belongs to another batch; an error if the
    /// server cannot be reached.
    pub async fn submit(&self, body: impl Into<Vec<u8>>, key: Option<&str>) -> Result<BatchAnswer, Failure> {
        let body = body.into();
        // A server that refuses a body stops reading, which looks like a broken connection.
        if body.len() > MAX_BATCH_BYTES {
            let (n_bytes, most) = (body.len(), MAX_BATCH_BYTES);
            return Err(BatchError::TooLong { n_bytes, most }.into());
        }
        let mut request = self.request(Method::POST, &["batches"])?;
        if let Some(key) = key {
            request = request.header(KEY, key);
        }
        let json = HeaderValue::from_static("application/json");
        send(request.header(CONTENT_TYPE, json).body(body)).await
    }

    /// Returns the state of a batch.
    ///
    /// # Errors
    /// `not_found` if there is no such batch; an error if the server cannot be reached.
    pub async fn poll(&self, id: &str) -> Result<BatchAnswer, Failure> {
        send(self.request(Method::GET, &["batches", path_id(id)?])?).await
    }

    /// Waits until all tasks are finished, the batch needs a person, or the time has passed; returns the state of the
    /// batch.
    ///
    /// # Errors
    /// The same as for [`poll`](Self::poll).
    pub async fn wait(&self, id: &str, at_most: Option<Duration>) -> Result<BatchAnswer, Failure> {
        let until = at_most.map(|at_most| Instant::now() + at_most);
        loop {
            let begun = Instant::now();
            let left = until.map(|until| until.saturating_duration_since(begun));
            let longest = Duration::from_secs(MAX_WAIT);
            let seconds = left.map_or(longest, |left| left.min(longest)).as_secs();
            let request = self.request(Method::GET, &["batches", path_id(id)?])?;
            let answer: BatchAnswer = send(request.query(&[("wait", seconds)])).await?;
            let is_over = left.is_some_and(|left| left.is_zero());
            if answer.status != BatchStatus::Pending || answer.counts.waits_for_person() || is_over {
                return Ok(answer);
            }
            // A batch without a driver is answered at once.
            let pause = Duration::from_secs(answer.next_poll_interval_seconds.max(1));
            let pause = pause.saturating_sub(begun.elapsed());
            tokio::time::sleep(left.map_or(pause, |left| pause.min(left))).await;
        }
    }

    /// Cancels some tasks of a batch, or the whole batch if none is named.
    ///
    /// # Errors
    /// `not_found` if there is no such batch or task; `conflict` if there is nothing to cancel.
    pub async fn cancel(
        &self,
        id: &str,
        task_ids: &[String],
        reason: Option<&str>,
    ) -> Result<BatchAnswer, Failure> {
        let body = CancelBody {
            task_ids: (!task_ids.is_empty()).then(|| task_ids.to_vec()),
            reason: reason.map(str::to_owned),
        };
        self.post(&["batches", path_id(id)?, "cancel"], &body).await
    }

    /// Retries tasks without an output: the named ones, or all. If the batch has ended, they run in a new one, whose id
    /// is in the answer.
    ///
    /// # Errors
    /// `not_found` if there is no such batch or task; `conflict` or `invalid_input` if there is nothing to retry.
    pub async fn retry(&self, id: &str, task_ids: &[String]) -> Result<BatchAnswer, Failure> {
        let body = RetryBody {
            task_ids: (!task_ids.is_empty()).then(|| task_ids.to_vec()),
        };
        self.post(&["batches", path_id(id)?, "retry"], &body).await
    }

    /// Lists batches, the newest first; at most 1000.
    ///
    /// # Errors
    /// When the server cannot be reached.
    pub async fn list(&self, limit: usize) -> Result<Vec<BatchRow>, Failure> {
        let request = self.request(Method::GET, &["batches"])?;
        let list: BatchList = send(request.query(&[("limit", limit)])).await?;
        Ok(list.batches)
    }

    async fn post(&self, path: &[&str], body: &impl Serialize) -> Result<BatchAnswer, Failure> {
        send(self.request(Method::POST, path)?.json(body)).await
    }

    fn request(&self, method: Method, path: &[&str]) -> Result<RequestBuilder, Failure> {
        let path = format!("v1/{}", path.join("/"));
        let url = self
            .server
            .join(&path)
            .map_err(|error| Failure::new(ErrorKind::InvalidInput, error.to_string()))?;
        Ok(self.http.request(method, url))
    }
}

async fn send<T: serde::de::DeserializeOwned>(request: RequestBuilder) -> Result<T, Failure> {
    let response = request.send().await.map_err(|error| unreachable(&error))?;
    read(response).await
}

/// Checks that an id is safe in a path.
fn path_id(id: &str) -> Result<&str, Failure> {
    match StreamId::new(id) {
        Ok(_) => Ok(id),
        Err(error) => Err(Failure::new(ErrorKind::InvalidInput, error.to_string())),
    }
}
