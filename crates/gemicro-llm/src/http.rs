//! HTTP helpers for all endpoints: a careful client, bodies of limited size, and errors without addresses.

use std::error::Error;
use std::time::Duration;

use gemicro_event::text::excerpt;
use gemicro_event::{ErrorKind, Failure};
use reqwest::{Client, Response, Url};

/// Maximum size of an answer, in bytes.
pub(crate) const ANSWER_BYTES: usize = 32 << 20;
/// Maximum size of an error body, in bytes.
const ERROR_BYTES: usize = 64 << 10;
/// Maximum time for an error body; what arrived by then is used.
const ERROR_BODY_TIME: Duration = Duration::from_secs(5);
const CONNECT_TIME: Duration = Duration::from_secs(10);

/// A client for one address. Key and prompt are only sent there: redirects are not followed.
pub(crate) fn client(base: &Url) -> Result<Client, Failure> {
    let builder = gemicro_client::builder_for(base)
        .connect_timeout(CONNECT_TIME)
        .user_agent(concat!("gemicro/", env!("CARGO_PKG_VERSION")));
    builder.build().map_err(|error| {
        let message = format!("the HTTP client cannot be set up: {}", root_cause(&error));
        Failure::new(ErrorKind::Internal, message)
    })
}

/// Host and port of an address, for messages.
pub(crate) fn host_of(base: &Url) -> Option<String> {
    let name = base.host_str()?;
    Some(match base.port() {
        Some(port) => format!("{name}:{port}"),
        None => name.to_owned(),
    })
}

/// Reads the body of an error, limited in size and time.
pub(crate) async fn error_body(mut response: Response) -> Vec<u8> {
    let mut body = Vec::new();
    let reading = async {
        while let Ok(Some(chunk)) = response.chunk().await {
            let room = ERROR_BYTES - body.len();
            body.extend_from_slice(&chunk[..chunk.len().min(room)]);
            if body.len() == ERROR_BYTES {
                break;
            }
        }
    };
    // Even after a timeout, what arrived is used.
    let _ = tokio::time::timeout(ERROR_BODY_TIME, reading).await;
    body
}

/// The innermost cause; never the address, which is only in the outer errors.
pub(crate) fn root_cause(error: &reqwest::Error) -> String {
    let innermost = causes(error).last();
    excerpt(&innermost.map_or_else(|| "no reason given".to_owned(), ToString::to_string))
}

/// The causes of an error, the nearest first.
pub(crate) fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    let mut next = error.source();
    std::iter::from_fn(move || {
        let cause = next?;
        next = cause.source();
        Some(cause)
    })
}
