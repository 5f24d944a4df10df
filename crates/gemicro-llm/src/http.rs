//! What every endpoint needs of HTTP: a careful client, bounded bodies, reasons without addresses.

use std::error::Error;
use std::time::Duration;

use gemicro_event::text::excerpt;
use gemicro_event::{ErrorKind, Failure};
use reqwest::{Client, Response, Url};

/// The most that is read of an answer, in bytes.
pub(crate) const ANSWER_BYTES: usize = 32 << 20;
/// The most that is read of an error, in bytes.
const ERROR_BYTES: usize = 64 << 10;
/// How long the body of an error may take; what came by then is used.
const ERROR_BODY_TIME: Duration = Duration::from_secs(5);
const CONNECT_TIME: Duration = Duration::from_secs(10);

/// A client for one address. Key and prompt go there and nowhere else: redirects are not followed.
pub(crate) fn client(base: &Url) -> Result<Client, Failure> {
    let builder = gemicro_client::builder_for(base)
        .connect_timeout(CONNECT_TIME)
        .user_agent(concat!("gemicro/", env!("CARGO_PKG_VERSION")));
    builder.build().map_err(|error| {
        let message = format!("the HTTP client cannot be set up: {}", root_cause(&error));
        Failure::new(ErrorKind::Internal, message)
    })
}

/// Host and port of an address, for people.
pub(crate) fn host_of(base: &Url) -> Option<String> {
    let name = base.host_str()?;
    Some(match base.port() {
        Some(port) => format!("{name}:{port}"),
        None => name.to_owned(),
    })
}

/// Reads the body of an error as far as it comes in bounds of size and time.
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
    // Late or not: what came is used.
    let _ = tokio::time::timeout(ERROR_BODY_TIME, reading).await;
    body
}

/// The innermost reason; never the address, which stands in the outer ones.
pub(crate) fn root_cause(error: &reqwest::Error) -> String {
    let innermost = causes(error).last();
    excerpt(&innermost.map_or_else(|| "no reason given".to_owned(), ToString::to_string))
}

/// What stands behind an error, the nearest first.
pub(crate) fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    let mut next = error.source();
    std::iter::from_fn(move || {
        let cause = next?;
        next = cause.source();
        Some(cause)
    })
}
