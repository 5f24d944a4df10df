//! Limits the size of request bodies.

use gemicro_engine::MAX_BATCH_BYTES;
use gemicro_event::{ErrorKind, Failure};
use hyper::header::CONTENT_LENGTH;
use hyper::{HeaderMap, Method, StatusCode};

use crate::trouble::HttpTrouble;

/// Maximum size of most bodies.
const MAX_BODY_BYTES: usize = 1 << 20;
/// The route that accepts batches.
const BATCHES: &str = "/v1/batches";

/// Returns the maximum size of a request's body.
///
/// # Errors
/// 413 if `Content-Length` exceeds it.
pub(crate) fn body_limit(method: &Method, path: &str, headers: &HeaderMap) -> Result<usize, HttpTrouble> {
    let limit = match (method, path) {
        (&Method::POST, BATCHES) => MAX_BATCH_BYTES,
        _ => MAX_BODY_BYTES,
    };
    let said = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    match said.and_then(|said| said.parse::<usize>().ok()) {
        Some(said) if said > limit => Err(too_long(limit)),
        Some(_) | None => Ok(limit),
    }
}

/// The error for a body that exceeds its limit.
pub(crate) fn too_long(limit: usize) -> HttpTrouble {
    let message = format!("request body is larger than {limit} bytes");
    let failure = Failure::new(ErrorKind::InvalidInput, message);
    HttpTrouble::new(StatusCode::PAYLOAD_TOO_LARGE, failure)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_may_be_longer() {
        let cancel = "/v1/runs/abcd/cancel";
        for (method, path, n_bytes, fits) in [
            (Method::POST, cancel, "1048576", true),
            (Method::POST, cancel, "1048577", false),
            (Method::POST, BATCHES, "67108864", true),
            (Method::POST, BATCHES, "67108865", false),
            (Method::GET, BATCHES, "1048577", false),
            (Method::GET, "/v1/runs", "1048577", false),
        ] {
            let headers = HeaderMap::from_iter([(CONTENT_LENGTH, n_bytes.parse().expect("a header"))]);
            assert_eq!(
                body_limit(&method, path, &headers).is_ok(),
                fits,
                "{method} {path} {n_bytes}"
            );
        }
    }
}
