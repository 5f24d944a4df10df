//! Errors between gemicro and a server, converted to failures.

use gemicro_core::flow::{AttemptCost, StepFailure};
use gemicro_event::text::excerpt;
use gemicro_event::{ErrorKind, Failure, Json};
use serde_json::{Map, Value};

use super::endpoint::OpenAiEndpoint;
use super::refusal::OpenAiRefusal;
use crate::http::ANSWER_BYTES;

/// The reason for a missing or unusable answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum OpenAiTrouble {
    /// The host is there, but the port is closed.
    ConnectionRefused,
    /// No connection: nothing was sent.
    Unreachable(String),
    /// The request was sent, but no answer began.
    Lost(String),
    /// The answer broke off in the middle.
    Cut(String),
    /// An HTTP error status.
    Refused(Box<OpenAiRefusal>),
    /// An error inside an answer that had begun.
    Broken(Box<OpenAiRefusal>),
    /// A success status with unexpected content.
    Foreign(String),
    /// The answer is larger than the limit.
    TooLarge,
    /// A problem on gemicro's side.
    Setup(Failure),
}

impl OpenAiTrouble {
    /// Converts it to a failure with its cost.
    pub(super) fn into_step_failure(self, endpoint: &OpenAiEndpoint) -> StepFailure {
        let spent = match &self {
            Self::ConnectionRefused | Self::Unreachable(_) | Self::Setup(_) => AttemptCost::Nothing,
            // An error instead of an answer is not billed; for a timeout this is unknown.
            Self::Refused(refusal) if !matches!(refusal.status, 408 | 504) => AttemptCost::Nothing,
            Self::Refused(_)
            | Self::Lost(_)
            | Self::Cut(_)
            | Self::Broken(_)
            | Self::Foreign(_)
            | Self::TooLarge => AttemptCost::Unknown,
        };
        StepFailure::new(self.into_failure(endpoint), spent)
    }

    /// Converts it to a failure, with the key redacted.
    pub(super) fn into_failure(self, endpoint: &OpenAiEndpoint) -> Failure {
        let host = endpoint.host();
        let refusal = match &self {
            Self::Refused(refusal) | Self::Broken(refusal) => Some((**refusal).clone()),
            _ => None,
        };
        let (kind, message) = match self {
            Self::ConnectionRefused => (
                ErrorKind::UpstreamError,
                format!("cannot reach {host}: is the server running?"),
            ),
            Self::Unreachable(why) => (ErrorKind::UpstreamError, format!("cannot reach {host}: {why}")),
            Self::Lost(why) => (
                ErrorKind::UpstreamError,
                format!("the connection to {host} failed: {why}"),
            ),
            Self::Cut(why) => (
                ErrorKind::TruncatedOutput,
                format!("the answer of {host} broke off: {why}"),
            ),
            Self::Refused(refusal) => refusal_kind(&refusal, endpoint),
            Self::Broken(refusal) => {
                let kind = match kind_of(&refusal) {
                    // The server had accepted the request.
                    ErrorKind::InvalidInput => ErrorKind::UpstreamError,
                    kind => kind,
                };
                (
                    kind,
                    format!("{host} failed while answering: {}", excerpt(&refusal.message)),
                )
            }
            Self::Foreign(what) => (
                ErrorKind::MalformedOutput,
                format!("the endpoint at {host} does not speak the OpenAI API: it sent {what}"),
            ),
            Self::TooLarge => (
                ErrorKind::MalformedOutput,
                format!("the answer of {host} is larger than {} MiB", ANSWER_BYTES >> 20),
            ),
            Self::Setup(failure) => return failure,
        };
        let wait = refusal.as_ref().and_then(|refusal| refusal.retry_after);
        let detail = endpoint.redact(&detail(refusal.as_ref(), host).to_string());
        Failure {
            kind,
            message: endpoint.redact(&message),
            detail: Json::from_text(&detail).ok(),
            retry_after_ms: wait.map(|wait| u64::try_from(wait.as_millis()).unwrap_or(u64::MAX)),
        }
    }
}

fn refusal_kind(refusal: &OpenAiRefusal, endpoint: &OpenAiEndpoint) -> (ErrorKind, String) {
    let host = endpoint.host();
    let (status, said) = (refusal.status, excerpt(&refusal.message));
    let kind = kind_of(refusal);
    let message = match kind {
        ErrorKind::AuthFailed if endpoint.has_key() => {
            format!("{host} refused the API key (HTTP {status}): {said}")
        }
        ErrorKind::AuthFailed => format!("{host} asks for an API key (HTTP {status}): {said}"),
        ErrorKind::UnknownModel => format!("{host} does not know the model (HTTP {status}): {said}"),
        ErrorKind::QuotaExhausted => format!("the quota at {host} is used up (HTTP {status}): {said}"),
        ErrorKind::RateLimited => format!("{host} got too many requests (HTTP {status}): {said}"),
        _ if is_elsewhere(status) => {
            format!("the endpoint at {host} does not speak the OpenAI API: it answered HTTP {status}: {said}")
        }
        _ => format!("{host} answered HTTP {status}: {said}"),
    };
    (kind, message)
}

/// Statuses that suggest another kind of server at this address. Redirects are not followed.
fn is_elsewhere(status: u16) -> bool {
    matches!(status, 300..=399 | 404 | 405 | 410)
}

fn kind_of(refusal: &OpenAiRefusal) -> ErrorKind {
    match refusal.status {
        401 | 403 => ErrorKind::AuthFailed,
        _ if refusal.code.as_deref() == Some("model_not_found") => ErrorKind::UnknownModel,
        404 if refusal.is_about_model() => ErrorKind::UnknownModel,
        402 => ErrorKind::QuotaExhausted,
        429 if refusal.names(&["insufficient_quota"]) => ErrorKind::QuotaExhausted,
        429 => ErrorKind::RateLimited,
        408 | 409 | 499 => ErrorKind::UpstreamError,
        status if is_elsewhere(status) => ErrorKind::UpstreamError,
        400..=499 => ErrorKind::InvalidInput,
        _ => ErrorKind::UpstreamError,
    }
}

fn detail(refusal: Option<&OpenAiRefusal>, host: &str) -> Value {
    let mut detail = Map::new();
    detail.insert("host".to_owned(), Value::from(host));
    if let Some(refusal) = refusal {
        detail.insert("http_status".to_owned(), Value::from(refusal.status));
        for (name, value) in [("code", &refusal.code), ("request_id", &refusal.request_id)] {
            if let Some(value) = value {
                detail.insert(name.to_owned(), Value::from(excerpt(value)));
            }
        }
    }
    Value::Object(detail)
}
