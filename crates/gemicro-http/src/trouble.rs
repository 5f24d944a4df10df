//! Converts failures into responses.

use axum::response::{IntoResponse, Response};
use gemicro_event::{ErrorKind, Failure};
use hyper::StatusCode;
use hyper::header::{CONTENT_TYPE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The body of every error response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ErrorBody {
    /// What went wrong, and whether to try again.
    pub error: Failure,
}

/// Returns the HTTP status for a kind of error.
#[must_use]
pub fn status_of(kind: ErrorKind) -> StatusCode {
    match kind {
        ErrorKind::InvalidInput | ErrorKind::UnknownModel => StatusCode::BAD_REQUEST,
        ErrorKind::BudgetExceeded => StatusCode::PAYMENT_REQUIRED,
        ErrorKind::PermissionDenied
        | ErrorKind::Blocked
        | ErrorKind::BranchSwitched
        | ErrorKind::ImportRefused
        | ErrorKind::GateClosed
        | ErrorKind::ReplayDiffers => StatusCode::FORBIDDEN,
        ErrorKind::NotFound | ErrorKind::SessionNotFound => StatusCode::NOT_FOUND,
        ErrorKind::Conflict
        | ErrorKind::StillRunning
        | ErrorKind::InputRequired
        | ErrorKind::Cancelled
        | ErrorKind::Interrupted
        | ErrorKind::NoEvidence => StatusCode::CONFLICT,
        ErrorKind::RateLimited | ErrorKind::QuotaExhausted => StatusCode::TOO_MANY_REQUESTS,
        ErrorKind::UpstreamError
        | ErrorKind::EmptyResult
        | ErrorKind::TruncatedOutput
        | ErrorKind::MalformedOutput
        | ErrorKind::CommandFailed
        | ErrorKind::TasksFailed
        | ErrorKind::AllSubQueriesFailed => StatusCode::BAD_GATEWAY,
        ErrorKind::IdleTimeout | ErrorKind::Timeout => StatusCode::GATEWAY_TIMEOUT,
        // The server's own key, program or sandbox is missing; the caller's token was valid.
        ErrorKind::AuthFailed
        | ErrorKind::CommandNotFound
        | ErrorKind::SandboxUnavailable
        | ErrorKind::UnsupportedRepository
        | ErrorKind::ChecksFailed => StatusCode::FAILED_DEPENDENCY,
        ErrorKind::StorageError => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// A failure with its HTTP status.
#[derive(Debug)]
pub(crate) struct HttpTrouble {
    status: StatusCode,
    failure: Failure,
}

impl HttpTrouble {
    /// Creates a failure with a different status than that of its kind.
    pub(crate) fn new(status: StatusCode, failure: Failure) -> Self {
        Self { status, failure }
    }

    /// Creates an error for an invalid request.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Failure::new(ErrorKind::InvalidInput, message).into()
    }
}

impl From<Failure> for HttpTrouble {
    fn from(failure: Failure) -> Self {
        let status = status_of(failure.kind);
        Self { status, failure }
    }
}

impl IntoResponse for HttpTrouble {
    fn into_response(self) -> Response {
        let retry_after_ms = self.failure.retry_after_ms;
        let mut response = json(self.status, &ErrorBody { error: self.failure });
        let headers = response.headers_mut();
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(milliseconds) = retry_after_ms {
            headers.insert(RETRY_AFTER, HeaderValue::from(milliseconds.div_ceil(1_000)));
        }
        response
    }
}

pub(crate) fn json<T: Serialize + ?Sized>(status: StatusCode, body: &T) -> Response {
    match serde_json::to_vec(body) {
        Ok(bytes) => {
            let json = HeaderValue::from_static("application/json");
            (status, [(CONTENT_TYPE, json)], bytes).into_response()
        }
        Err(error) => {
            let message = format!("an answer could not be written: {error}");
            HttpTrouble::from(Failure::new(ErrorKind::Internal, message)).into_response()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_defect_is_a_500() {
        let defects: Vec<&ErrorKind> = ErrorKind::ALL
            .iter()
            .filter(|kind| status_of(**kind) == StatusCode::INTERNAL_SERVER_ERROR)
            .collect();
        assert_eq!(defects, [&ErrorKind::Internal]);
        assert!(
            ErrorKind::ALL
                .iter()
                .all(|kind| status_of(*kind).is_client_error() || status_of(*kind).is_server_error())
        );
    }
}
