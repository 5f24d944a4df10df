//! Errors between gemicro and the service, converted to failures.
//!
//! 403 is `auth_failed` like 401, because the key lacks the permission; `permission_denied` is for permissions on this
//! machine.

use std::time::Duration;

use gemicro_core::flow::{AttemptCost, StepFailure};
use gemicro_core::models::ModelTable;
use gemicro_event::text::excerpt;
use gemicro_event::{ErrorKind, Failure, Json};
use serde_json::{Map, Value, json};

use super::problem::{is_block, is_transient};
use super::refusal::GeminiRefusal;

/// The subject of a request; decides what "not found" means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequestSubject<'a> {
    /// A model or an agent.
    Model(&'a str),
    /// An interaction that should exist.
    Interaction,
    Service,
}

/// The reason for a missing or unusable answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum GeminiTrouble {
    /// No connection: nothing was sent.
    Unreachable(String),
    /// The request was sent, but no complete answer came.
    Lost(String),
    /// The answer broke off in the middle.
    Cut(String),
    /// There was no answer within the time limit of this request.
    Late(Duration),
    /// An HTTP error status.
    Refused(Box<GeminiRefusal>),
    /// A success status with unexpected content.
    Foreign(String),
    /// The answer is larger than this many bytes.
    TooLarge(usize),
    /// A problem on gemicro's side.
    Setup(Failure),
}

impl GeminiTrouble {
    /// Whether the same request may succeed later.
    pub(super) fn passes(&self) -> bool {
        match self {
            Self::Unreachable(_) | Self::Lost(_) | Self::Cut(_) | Self::Late(_) => true,
            Self::Refused(refusal) => matches!(refusal.status, 408 | 409 | 429 | 500..=599),
            Self::Foreign(_) | Self::TooLarge(_) | Self::Setup(_) => false,
        }
    }

    /// The HTTP status, if there was one.
    pub(super) fn status(&self) -> Option<u16> {
        match self {
            Self::Refused(refusal) => Some(refusal.status),
            _ => None,
        }
    }

    /// Why policy stopped the request, if it did.
    pub(super) fn block(&self) -> Option<String> {
        let Self::Refused(refusal) = self else { return None };
        let code = refusal.code.as_deref().filter(|code| is_block(code))?;
        Some(format!("{code}: {}", excerpt(&refusal.message)))
    }

    /// Converts it to a failure with its cost.
    pub(super) fn into_step_failure(self, host: &str, subject: RequestSubject<'_>) -> StepFailure {
        let spent = match &self {
            Self::Unreachable(_) | Self::Setup(_) => AttemptCost::Nothing,
            // Google does not bill requests that it answers with an error; for a timeout this is unknown.
            Self::Refused(refusal) if !matches!(refusal.status, 408 | 504) => AttemptCost::Nothing,
            _ => AttemptCost::Unknown,
        };
        StepFailure::new(self.into_failure(host, subject), spent)
    }

    pub(crate) fn into_failure(self, host: &str, subject: RequestSubject<'_>) -> Failure {
        let (kind, message) = match self {
            Self::Unreachable(why) => (
                ErrorKind::UpstreamError,
                format!("cannot reach {host}: {why}; check the network and the address"),
            ),
            Self::Lost(why) => (
                ErrorKind::UpstreamError,
                format!("the connection to {host} failed: {why}"),
            ),
            Self::Cut(why) => (
                ErrorKind::TruncatedOutput,
                format!("the answer of {host} broke off: {why}"),
            ),
            Self::Late(limit) => (
                ErrorKind::UpstreamError,
                format!("{host} did not answer within {} s", limit.as_secs_f64()),
            ),
            Self::Refused(refusal) => return refusal_failure(&refusal, host, subject),
            Self::Foreign(what) => (
                ErrorKind::MalformedOutput,
                format!("the endpoint at {host} does not speak the Gemini API: it sent {what}"),
            ),
            Self::TooLarge(limit) => (
                ErrorKind::MalformedOutput,
                format!("the answer of {host} is larger than {} MiB", limit >> 20),
            ),
            Self::Setup(failure) => return failure,
        };
        Failure {
            detail: Some(Json::from(json!({ "host": host }))),
            ..Failure::new(kind, message)
        }
    }
}

fn refusal_failure(refusal: &GeminiRefusal, host: &str, subject: RequestSubject<'_>) -> Failure {
    let kind = kind_of(refusal, subject);
    let said = excerpt(&refusal.message);
    let status = refusal.status;
    let message = match (kind, subject) {
        (ErrorKind::UnknownModel, RequestSubject::Model(model)) => {
            let table = ModelTable::embedded();
            let instead = match table.replacement(model) {
                Some(instead) => format!("; use `{instead}` instead"),
                None => table.like(model),
            };
            format!("{host} does not know the model `{model}` (HTTP {status}){instead}")
        }
        (ErrorKind::SessionNotFound, RequestSubject::Interaction) => {
            format!("{host} no longer has this interaction (HTTP {status}): {said}")
        }
        (ErrorKind::QuotaExhausted, _) => {
            format!("the quota at {host} is used up (HTTP {status}): {said}")
        }
        (ErrorKind::RateLimited, _) => {
            format!("{host} got too many requests (HTTP {status}): {said}")
        }
        (ErrorKind::AuthFailed, _) => format!("{host} refused the API key (HTTP {status}): {said}"),
        (ErrorKind::MalformedOutput, _) => {
            format!("the endpoint at {host} does not speak the Gemini API: it answered HTTP {status}: {said}")
        }
        _ => format!("{host} answered HTTP {status}: {said}"),
    };
    let retry_after = refusal.retry_after.map(|wait| wait.as_millis());
    Failure {
        kind,
        message,
        detail: Some(detail(refusal, host)),
        retry_after_ms: retry_after.map(|wait| u64::try_from(wait).unwrap_or(u64::MAX)),
    }
}

fn kind_of(refusal: &GeminiRefusal, subject: RequestSubject<'_>) -> ErrorKind {
    match refusal.status {
        // Redirects are not followed, because they would send the key elsewhere.
        300..=399 => ErrorKind::MalformedOutput,
        401 | 403 => ErrorKind::AuthFailed,
        _ if refusal.is_about_key() => ErrorKind::AuthFailed,
        402 => ErrorKind::QuotaExhausted,
        404 if subject == RequestSubject::Interaction => ErrorKind::SessionNotFound,
        404 if !refusal.is_envelope => ErrorKind::MalformedOutput,
        404 if names_model(refusal, subject) => ErrorKind::UnknownModel,
        404 => ErrorKind::SessionNotFound,
        408 | 409 | 499 => ErrorKind::UpstreamError,
        429 if refusal.is_daily() => ErrorKind::QuotaExhausted,
        429 => ErrorKind::RateLimited,
        400..=499 if is_transient(&refusal.message) => ErrorKind::UpstreamError,
        400..=499 => ErrorKind::InvalidInput,
        _ => ErrorKind::UpstreamError,
    }
}

fn names_model(refusal: &GeminiRefusal, subject: RequestSubject<'_>) -> bool {
    let RequestSubject::Model(model) = subject else {
        return false;
    };
    let message = refusal.message.to_ascii_lowercase();
    refusal.code.as_deref() == Some("model_not_found")
        || message.contains(&model.to_ascii_lowercase())
        || message.contains("model")
}

fn detail(refusal: &GeminiRefusal, host: &str) -> Json {
    let mut detail = Map::new();
    detail.insert("host".to_owned(), Value::from(host));
    detail.insert("http_status".to_owned(), Value::from(refusal.status));
    if let Some(code) = &refusal.code {
        detail.insert("code".to_owned(), Value::from(excerpt(code)));
    }
    if let Some(request_id) = &refusal.request_id {
        detail.insert("request_id".to_owned(), Value::from(excerpt(request_id)));
    }
    if !refusal.quotas.is_empty() {
        let quotas = refusal.quotas.iter().take(8);
        let quotas = quotas.map(|quota| json!({ "id": excerpt(&quota.id), "value": excerpt(&quota.value) }));
        detail.insert("quotas".to_owned(), quotas.collect());
    }
    Json::from(Value::Object(detail))
}
