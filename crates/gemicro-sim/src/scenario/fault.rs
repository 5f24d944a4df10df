//! `fault`: the ways in which an answer goes wrong.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// One fault, as the file names it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// An HTTP error with one of the four envelopes.
    Http(HttpFault),
    /// An HTTP error whose body is a page for people, as front proxies send.
    Html(HtmlPage),
    /// 429 that passes after a while.
    RateLimit(RateLimit),
    /// 429 that lasts until tomorrow.
    DailyQuota(DailyQuota),
    /// The connection ends in the middle of the answer. The generation itself goes on.
    Cut(ConnectionCut),
    /// The answer stops coming and the connection stays open. The generation itself goes on,
    /// unless it runs in the background.
    Hang(Hang),
    /// HTTP 200 with something that is not JSON.
    Garbage,
    /// A well-formed answer without any content.
    Empty,
    /// The prompt or the answer is blocked.
    Safety(Safety),
    /// The answer stops at the limit of output tokens.
    MaxTokens(MaxTokens),
    /// A right body under a wrong content type.
    ContentType(String),
    /// A right answer amid what clients must overlook: keep-alive comments, CRLF, unknown events, unknown fields.
    Noise,
    /// The answer fails after HTTP 200: `error` event, status `failed`.
    StreamError(StreamError),
}

/// Which envelope an error comes in; without it the endpoint's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EnvelopeKind {
    /// `{"error":{"code":"invalid_request","message":…}}`.
    Interactions,
    /// `{"error":{"code":400,"status":"INVALID_ARGUMENT","message":…,"details":[…]}}`.
    Rpc,
    /// `{"error":{"message":…,"type":"invalid_request_error","param":null,"code":null}}`.
    #[serde(rename = "openai")]
    OpenAi,
    /// `{"type":"error","error":{"type":"invalid_request_error","message":…},"request_id":…}`.
    Anthropic,
}

/// An HTTP error, in the envelope of the endpoint or another one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpFault {
    /// The HTTP status, from 400 to 599.
    pub status: ErrorStatus,
    /// The Interactions or OpenAI code, the rpc status or the Anthropic type; by default the usual one of the
    /// HTTP status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The text for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The shape of the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub envelope: Option<EnvelopeKind>,
    /// Headers to add to the response.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
}

/// An HTTP status that says no.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u16", into = "u16")]
pub struct ErrorStatus(u16);

impl TryFrom<u16> for ErrorStatus {
    type Error = String;

    fn try_from(status: u16) -> Result<Self, Self::Error> {
        if (400..600).contains(&status) {
            Ok(Self(status))
        } else {
            Err(format!(
                "HTTP status {status} is not an error; expected 400 to 599"
            ))
        }
    }
}

impl From<ErrorStatus> for u16 {
    fn from(status: ErrorStatus) -> Self {
        status.0
    }
}

/// An HTML error page, as of a proxy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HtmlPage {
    /// The HTTP status, from 400 to 599.
    pub status: ErrorStatus,
}

impl Default for HtmlPage {
    fn default() -> Self {
        Self {
            status: ErrorStatus(502),
        }
    }
}

/// How a wait is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Announce {
    /// Header `Retry-After` and, in the rpc envelope, `RetryInfo`.
    #[default]
    Both,
    /// Only in the header `Retry-After`.
    Header,
    /// Only in the body, as `RetryInfo`.
    Body,
    /// The client is not told when to retry.
    Nowhere,
}

/// Too many requests in a minute.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RateLimit {
    /// How long to wait.
    pub seconds: f64,
    /// Where that is said.
    pub announce: Announce,
    /// The shape of the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub envelope: Option<EnvelopeKind>,
}

impl Default for RateLimit {
    fn default() -> Self {
        Self {
            seconds: 1.0,
            announce: Announce::Both,
            envelope: None,
        }
    }
}

/// Too many requests in a day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DailyQuota {
    /// The quota that is used up.
    pub limit: u64,
    /// The shape of the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub envelope: Option<EnvelopeKind>,
}

impl Default for DailyQuota {
    fn default() -> Self {
        Self {
            limit: 250,
            envelope: None,
        }
    }
}

/// A connection that ends too early.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ConnectionCut {
    /// Pieces of the answer that still arrive.
    pub after_chunks: usize,
    /// Whether the body ends as if it were complete, instead of breaking off.
    pub clean: bool,
}

impl Default for ConnectionCut {
    fn default() -> Self {
        Self {
            after_chunks: 1,
            clean: false,
        }
    }
}

/// A connection that goes silent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Hang {
    /// Pieces of the answer that still arrive. Without it not even the headers do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_chunks: Option<usize>,
}

/// Whether the prompt or the answer is blocked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SafetyStage {
    /// The prompt: no answer at all.
    #[default]
    Prompt,
    /// The answer, while it was being written.
    Answer,
}

/// A block by safety rules.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Safety {
    /// Whether the prompt or the answer is blocked.
    pub stage: SafetyStage,
    /// Value of `blockReason` or `finishReason`.
    pub reason: String,
}

impl Default for Safety {
    fn default() -> Self {
        Self {
            stage: SafetyStage::Prompt,
            reason: "SAFETY".to_owned(),
        }
    }
}

/// An answer that is too long.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MaxTokens {
    /// Tokens of text that still arrive; 0: the thoughts ate them all.
    pub keep: u64,
}

/// A failure after HTTP 200.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StreamError {
    /// Pieces of the answer that arrive before it.
    pub after_chunks: usize,
    /// Error code of the Interactions API.
    pub code: String,
    /// The text for people.
    pub message: String,
}

impl Default for StreamError {
    fn default() -> Self {
        Self {
            after_chunks: 0,
            code: "internal".to_owned(),
            message: "An internal error has occurred.".to_owned(),
        }
    }
}

/// The faults that still need an answer to spoil.
#[derive(Debug, Clone, PartialEq)]
pub enum AnswerFault {
    /// See [`Fault::Cut`].
    Cut(ConnectionCut),
    /// See [`Fault::Hang`].
    Hang(Hang),
    /// See [`Fault::Garbage`].
    Garbage,
    /// See [`Fault::Empty`].
    Empty,
    /// See [`Fault::Safety`].
    Safety(Safety),
    /// See [`Fault::MaxTokens`].
    MaxTokens(MaxTokens),
    /// See [`Fault::ContentType`].
    ContentType(String),
    /// See [`Fault::Noise`].
    Noise,
    /// See [`Fault::StreamError`].
    StreamError(StreamError),
}
