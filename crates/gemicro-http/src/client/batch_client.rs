//! The client of the routes for batches.

use std::time::Duration;

use gemicro_engine::{BatchAnswer, BatchError, BatchRow, BatchStatus, MAX_BATCH_BYTES};
use gemicro_event::{ErrorKind, Failure, StreamId};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::{Method, RequestBuilder, Url};
use serde::Serialize;
use tokio::time::Instant;

use super::answer::{read, unreachable};
use crate::routes::{BatchList, CancelBody, MAX_WAIT, RetryBody};

/// How long a connection may take to be made.
const CONNECT_WITHIN: Duration = Duration::from_secs(10);
/// How long an answer may keep silent, waiting included.
const SILENT_FOR: Duration = Duration::from_secs(MAX_WAIT + 30);
/// The key of a batch, as the server reads it.
const KEY: &str = "Idempotency-Key";

/// Batches of a server.
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
    /// A client of the server at an address such as `http://127.0.0.1:8737`. No connection is made yet.
    ///
    /// # Errors
    /// `invalid_input` when the address is none, or the token cannot stand in a header.
    pub fn new(server: &str, token: &str) -> Result<Self, Failure> {
        let invalid = |message: String| Failure::new(ErrorKind::InvalidInput, message);
        let mut server = Url::parse(server)
            .map_err(|error| invalid(format!("`{server}` is not the address of a server: {error}")))?;
        if !["http", "https"].contains(&server.scheme()) || server.cannot_be_a_base() {
            return Err(invalid(format!("`{server}` is not an http or https address")));
        }
        // What follows is put behind it.
        if !server.path().ends_with('/') {
            server.set_path(&format!("{}/", server.path()));
        }
        let mut bearer = HeaderValue::from_str(&format!("Bearer {}", token.trim()))
            .map_err(|_| invalid("the token has letters that no header can have".to_owned()))?;
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

    /// Hands in a batch: an array of tasks, one task a line, or an object with `tasks`. Under a key it is one batch,
    /// however often it is handed in.
    ///
    /// # Errors
    /// `invalid_input` with the place when it is wrong; `conflict` when the key stands for another batch; when the server
    /// cannot be reached.
    pub async fn submit(&self, body: impl Into<Vec<u8>>, key: Option<&str>) -> Result<BatchAnswer, Failure> {
        let body = body.into();
        // A server that refuses it stops reading, which looks like a broken connection.
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

    /// How a batch stands.
    ///
    /// # Errors
    /// `not_found` when there is no such batch; when the server cannot be reached.
    pub async fn poll(&self, id: &str) -> Result<BatchAnswer, Failure> {
        send(self.request(Method::GET, &["batches", path_id(id)?])?).await
    }

    /// How a batch stands when its last task has its final state, when it waits for a person, or when this time has passed.
    ///
    /// # Errors
    /// As for [`poll`](Self::poll).
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
            // A batch that nobody drives is answered at once.
            let pause = Duration::from_secs(answer.next_poll_interval_seconds.max(1));
            let pause = pause.saturating_sub(begun.elapsed());
            tokio::time::sleep(left.map_or(pause, |left| pause.min(left))).await;
        }
    }

    /// Stops some tasks of a batch, or all of it where none is named.
    ///
    /// # Errors
    /// `not_found` when there is no such batch or task; `conflict` when there is nothing to stop.
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

    /// Does tasks without an output again: these, or all. A batch that has ended goes on in a new one, whose id the
    /// answer has.
    ///
    /// # Errors
    /// `not_found` when there is no such batch or task; `conflict` or `invalid_input` when there is nothing to do again.
    pub async fn retry(&self, id: &str, task_ids: &[String]) -> Result<BatchAnswer, Failure> {
        let body = RetryBody {
            task_ids: (!task_ids.is_empty()).then(|| task_ids.to_vec()),
        };
        self.post(&["batches", path_id(id)?, "retry"], &body).await
    }

    /// Batches, the newest first; at most 1000.
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

/// An id that can stand in a path.
fn path_id(id: &str) -> Result<&str, Failure> {
    match StreamId::new(id) {
        Ok(_) => Ok(id),
        Err(error) => Err(Failure::new(ErrorKind::InvalidInput, error.to_string())),
    }
}
