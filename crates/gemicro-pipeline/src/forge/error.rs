//! Errors of a forge.

use std::time::Duration;

use gemicro_event::{ErrorKind, Failure, Json};
use serde_json::json;

/// An error of a forge. `place` is the repository and host, `doing` the attempted action. No field contains a token.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum ForgeError {
    /// No answer arrived. A retry may succeed.
    #[error("cannot reach {place} to {doing}: {reason}; check the network and the address, then try again")]
    Unreachable {
        place: String,
        doing: String,
        reason: String,
    },
    /// The token is missing or invalid.
    #[error("{place} did not authorise the request to {doing}: {message}; {next}")]
    Unauthorised {
        place: String,
        doing: String,
        /// Message of the forge.
        message: String,
        next: String,
    },
    /// The token is valid, but lacks permission.
    #[error("the token may not {doing} at {place} (HTTP 403: {message}); it needs {right}")]
    Forbidden {
        place: String,
        doing: String,
        /// Message of the forge.
        message: String,
        /// The missing permission, in the forge's terms.
        right: String,
    },
    /// The host was only guessed from its name, so no token is sent.
    #[error(
        "{host} looks like a {kind} server, but your settings do not list it; add it under `forge.hosts` so that the token can be sent to it"
    )]
    UnnamedHost {
        host: String,
        /// The kind of forge it looks like.
        kind: String,
    },
    /// The repository or branch does not exist, or the token may not see it.
    #[error(
        "{place} found no such repository or branch when asked to {doing} ({message}); check the remote's address and the branch, and that the token may read the repository"
    )]
    NotFound {
        place: String,
        doing: String,
        /// Message of the forge.
        message: String,
    },
    /// Too many calls at the moment.
    #[error("{place} is limiting requests and refused to {doing}; {}", when(.retry_after))]
    RateLimited {
        place: String,
        doing: String,
        /// How long the forge asked to wait.
        retry_after: Option<Duration>,
    },
    /// The forge refused the call, or failed itself.
    #[error("{place} refused to {doing} (HTTP {status}): {message}{}", after(*.status))]
    Refused {
        place: String,
        doing: String,
        status: u16,
        /// Message of the forge.
        message: String,
    },
    /// The answer is not one that such a forge gives.
    #[error("{place} sent an unexpected response when asked to {doing}: {problem}; check the API address")]
    Protocol {
        place: String,
        doing: String,
        /// What is wrong with the answer.
        problem: String,
    },
}

impl ForgeError {
    /// The kind of error, for screens, exit codes and retries.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Unreachable { .. } => ErrorKind::UpstreamError,
            Self::Unauthorised { .. } => ErrorKind::AuthFailed,
            Self::Forbidden { .. } | Self::UnnamedHost { .. } => ErrorKind::PermissionDenied,
            Self::NotFound { .. } => ErrorKind::NotFound,
            Self::RateLimited { .. } => ErrorKind::RateLimited,
            Self::Refused { status: 500.., .. } => ErrorKind::UpstreamError,
            Self::Refused { status: 409, .. } => ErrorKind::Conflict,
            Self::Refused { .. } => ErrorKind::InvalidInput,
            Self::Protocol { .. } => ErrorKind::MalformedOutput,
        }
    }

    fn status(&self) -> Option<u16> {
        match self {
            Self::Forbidden { .. } => Some(403),
            Self::Refused { status, .. } => Some(*status),
            Self::Unreachable { .. }
            | Self::Unauthorised { .. }
            | Self::UnnamedHost { .. }
            | Self::NotFound { .. }
            | Self::RateLimited { .. }
            | Self::Protocol { .. } => None,
        }
    }
}

impl From<ForgeError> for Failure {
    fn from(error: ForgeError) -> Self {
        let mut failure = Self::new(error.kind(), error.to_string());
        failure.detail = error
            .status()
            .map(|status| Json::from(json!({ "status": status })));
        if let ForgeError::RateLimited {
            retry_after: Some(wait),
            ..
        } = &error
        {
            failure.retry_after_ms = u64::try_from(wait.as_millis()).ok();
        }
        failure
    }
}

fn when(retry_after: &Option<Duration>) -> String {
    match retry_after {
        Some(wait) => format!("try again in {} s", wait.as_secs().max(1)),
        None => "try again in a few minutes".to_owned(),
    }
}

fn after(status: u16) -> &'static str {
    match status {
        300..400 => "; if the repository has moved, give the remote its new address",
        500.. => "; try again later",
        _ => "",
    }
}
