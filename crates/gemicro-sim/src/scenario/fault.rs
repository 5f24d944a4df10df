//! `fault`: ways in which an answer can fail.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// One fault, with its name in the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// An HTTP error in one of the four formats.
    Http(HttpFault),
    /// An HTTP error with an HTML page, as from a proxy.
    Html(HtmlPage),
    /// A temporary 429.
    RateLimit(RateLimit),
    /// A 429 that lasts until the next day.
    DailyQuota(DailyQuota),
    /// The connection ends in the middle of the answer. The generation itself continues.
    Cut(ConnectionCut),
    /// The answer stops, but the connection stays open. The generation itself continues, unless it runs in the
    /// background.
    Hang(Hang),
    /// HTTP 200 with something that is not JSON.
    Garbage,
    /// A valid answer without content.
    Empty,
    /// The prompt or the answer is blocked.
    Safety(Safety),
    /// The answer stops at the limit of output tokens.
    MaxTokens(MaxTokens),
    /// A correct body with a wrong content type.
    ContentType(String),
    /// A correct answer with additions that clients must ignore: keep-alive comments, CRLF, unknown events and fields.
    Noise,
    /// The answer fails after HTTP 200: `error` event, status `failed`.
    StreamError(StreamError),
}

/// The format of an error; by default that of the endpoint.
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

/// An HTTP error, in the format of the endpoint or another one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpFault {
    /// The HTTP status, from 400 to 599.
    pub status: ErrorStatus,
    /// The Interactions or OpenAI code, the RPC status or the Anthropic type; by default the usual one for the HTTP
    /// status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The format of the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub envelope: Option<EnvelopeKind>,
    /// Headers to add to the response.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
}

/// An HTTP status of 400 to 599.
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

/// An HTML error page, as from a proxy.
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

/// How a wait is announced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Announce {
    /// In the header `Retry-After` and, in the RPC format, as `RetryInfo`.
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
    /// Where the wait is announced.
    pub announce: Announce,
    /// The format of the body.
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
    /// The exhausted quota.
    pub limit: u64,
    /// The format of the body.
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
    /// Number of chunks that still arrive.
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
    /// Number of chunks that still arrive. By default not even the headers do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_chunks: Option<usize>,
}

/// Whether the prompt or the answer is blocked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SafetyStage {
    /// The prompt: there is no answer.
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

/// An answer that exceeds the token limit.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MaxTokens {
    /// Tokens of text that still arrive; 0 if the thoughts used them up.
    pub keep: u64,
}

/// A failure after HTTP 200.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StreamError {
    /// Number of chunks that arrive before it.
    pub after_chunks: usize,
    /// Error code of the Interactions API.
    pub code: String,
    /// The message.
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

/// The faults that apply to an answer.
#[derive(Debug, Clone, PartialEq)]
#[expect(missing_docs, reason = "`Fault` describes the variants")]
pub enum AnswerFault {
    Cut(ConnectionCut),
    Hang(Hang),
    Garbage,
    Empty,
    Safety(Safety),
    MaxTokens(MaxTokens),
    ContentType(String),
    Noise,
    StreamError(StreamError),
}
