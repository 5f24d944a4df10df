//! Converts a response into a value or a failure.

use gemicro_event::{ErrorKind, Failure};
use reqwest::{Response, StatusCode};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::trouble::ErrorBody;

/// Maximum number of characters shown of an unexpected answer.
const SHOWN_CHARS: usize = 200;

/// Reads a complete response.
///
/// # Errors
/// The failure that the server reports; `upstream_error` if the answer is not in gemicro's format.
pub(super) async fn read<T: DeserializeOwned>(response: Response) -> Result<T, Failure> {
    let status = response.status();
    let body = response.bytes().await.map_err(|error| unreachable(&error))?;
    if !status.is_success() {
        return Err(failure(status, &body));
    }
    serde_json::from_slice(&body).map_err(|error| {
        let message = format!("the server's answer cannot be read: {error}");
        Failure::new(ErrorKind::UpstreamError, message)
    })
}

/// The error for a server that did not answer.
pub(super) fn unreachable(error: &reqwest::Error) -> Failure {
    let mut message = "the server cannot be reached".to_owned();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        message = format!("{message}: {inner}");
        cause = inner.source();
    }
    let kind = if error.is_timeout() {
        ErrorKind::Timeout
    } else {
        ErrorKind::UpstreamError
    };
    Failure::new(kind, message)
}

fn failure(status: StatusCode, body: &[u8]) -> Failure {
    if let Ok(body_error) = serde_json::from_slice::<ErrorBody>(body) {
        return body_error.error;
    }
    // A newer server may use error kinds that this program does not know.
    #[derive(Deserialize)]
    struct NewerServer {
        error: Value,
    }
    let message = match serde_json::from_slice::<NewerServer>(body) {
        Ok(NewerServer { error }) => error["message"].as_str().map(str::to_owned),
        Err(_) => None,
    };
    let message = message.unwrap_or_else(|| {
        let text: String = String::from_utf8_lossy(body).chars().take(SHOWN_CHARS).collect();
        format!("the server answered {status}: {}", text.trim())
    });
    let kind = match status {
        StatusCode::UNAUTHORIZED => ErrorKind::AuthFailed,
        StatusCode::FORBIDDEN => ErrorKind::PermissionDenied,
        StatusCode::NOT_FOUND => ErrorKind::NotFound,
        StatusCode::CONFLICT => ErrorKind::Conflict,
        StatusCode::TOO_MANY_REQUESTS => ErrorKind::RateLimited,
        status if status.is_client_error() => ErrorKind::InvalidInput,
        _ => ErrorKind::UpstreamError,
    };
    Failure::new(kind, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_all_sorts_become_failures() {
        let cases: &[(u16, &str, ErrorKind, &str)] = &[
            (
                409,
                r#"{"error":{"kind":"still_running","message":"it goes on"}}"#,
                ErrorKind::StillRunning,
                "it goes on",
            ),
            (
                409,
                r#"{"error":{"kind":"of_tomorrow","message":"something new"}}"#,
                ErrorKind::Conflict,
                "something new",
            ),
            (
                502,
                "<html>proxy</html>",
                ErrorKind::UpstreamError,
                "the server answered 502 Bad Gateway: <html>proxy</html>",
            ),
            (404, "", ErrorKind::NotFound, "the server answered 404 Not Found:"),
        ];
        for (status, body, kind, message) in cases {
            let status = StatusCode::from_u16(*status).expect("a status");
            let failure = failure(status, body.as_bytes());
            assert_eq!((failure.kind, failure.message.trim_end()), (*kind, *message));
        }
    }
}
