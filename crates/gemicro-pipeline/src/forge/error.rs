//! Why a forge did not do what was asked.

use std::time::Duration;

use gemicro_event::{ErrorKind, Failure, Json};
use serde_json::json;

/// What went wrong at a forge. `place` is the repository and the host, `doing` what was asked; no text has a token in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum ForgeError {
    /// No answer came. Worth another try later.
    #[error("cannot reach {place} to {doing}: {reason}; check the network and the address, then try again")]
    Unreachable {
        place: String,
        doing: String,
        reason: String,
    },
    /// The token is missing, or the forge does not know it.
    #[error("{place} did not authorise the request to {doing}: {message}; {next}")]
    Unauthorised {
        place: String,
        doing: String,
        /// What the forge said.
        message: String,
        next: String,
    },
    /// The token is good, but not for this.
    #[error("the token may not {doing} at {place} (HTTP 403: {message}); it needs {right}")]
    Forbidden {
        place: String,
        doing: String,
        /// What the forge said.
        message: String,
        /// The right that is missing, in the forge's words.
        right: String,
    },
    /// The host was only guessed from its name, and a token is not sent on a guess.
    #[error(
        "{host} looks like a {kind} server, but your settings do not list it; add it under `forge.hosts` so that the token can be sent to it"
    )]
    UnnamedHost {
        host: String,
        /// What it looks like.
        kind: String,
    },
    /// There is no such repository or branch, or the token may not even see it.
    #[error(
        "{place} found no such repository or branch when asked to {doing} ({message}); check the remote's address and the branch, and that the token may read the repository"
    )]
    NotFound {
        place: String,
        doing: String,
        /// What the forge said.
        message: String,
    },
    /// Too many questions for the moment.
    #[error("{place} is limiting requests and refused to {doing}; {}", when(.retry_after))]
    RateLimited {
        place: String,
        doing: String,
        /// How long the forge asked to wait.
        retry_after: Option<Duration>,
    },
    /// The forge understood and said no, or failed by itself.
    #[error("{place} refused to {doing} (HTTP {status}): {message}{}", after(*.status))]
    Refused {
        place: String,
        doing: String,
        status: u16,
        /// What the forge said.
        message: String,
    },
    /// What came is no answer of such a forge.
    #[error("{place} sent an unexpected response when asked to {doing}: {problem}; check the API address")]
    Protocol {
        place: String,
        doing: String,
        /// What is wrong with it.
        problem: String,
    },
}

impl ForgeError {
    /// The kind that screens, exit codes and retries go by.
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
        None => "try again in some minutes".to_owned(),
    }
}

fn after(status: u16) -> &'static str {
    match status {
        300..400 => "; if the repository has moved, give the remote its new address",
        500.. => "; try again later",
        _ => "",
    }
}
