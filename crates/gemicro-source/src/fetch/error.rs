//! Errors of fetching a page: [`FetchError`].

use std::net::IpAddr;
use std::time::Duration;

use gemicro_event::text::{is_hidden, shortened};
use gemicro_event::{ErrorKind, Failure, Json};

/// Maximum length of a URL or of external text in an error, in characters.
const MAX_SHOWN: usize = 300;

/// Why a page was not fetched. URLs are shown shortened, without user info and control characters.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what the fields are")]
pub enum FetchError {
    /// Not a URL, or one that is never accepted.
    #[error("{url} cannot be fetched: {why}")]
    BadUrl {
        url: String,
        /// What is wrong with it.
        why: String,
    },
    /// Not https, and not http to a listed host.
    #[error("fetching {url} is not allowed: {why}")]
    SchemeNotAllowed {
        url: String,
        /// The rule that forbids it.
        why: &'static str,
    },
    /// Neither 443 nor 80, and not listed by the user.
    #[error("port {port} of {host} is not allowed: only 443 and 80 are, unless the user lists it")]
    PortNotAllowed { host: String, port: u16 },
    /// A name that only has a meaning inside a network.
    #[error("{host} is not allowed: {why}")]
    NameNotAllowed {
        host: String,
        /// The rule that forbids it.
        why: &'static str,
    },
    /// The host is, or leads to, an address that is not public.
    #[error("{host} is not allowed: {address} is {why}")]
    AddressNotAllowed {
        /// The host as the URL names it.
        host: String,
        address: IpAddr,
        /// What the address is.
        why: &'static str,
    },
    /// The server has no such page (404 or 410).
    #[error("{url} was not found")]
    NotFound { url: String },
    /// The server answered with another status that comes without a page.
    #[error("{url} answered with status {status}")]
    Status { url: String, status: u16 },
    /// The body is longer than the limit.
    #[error("{url} is over the limit of {limit} bytes for one page")]
    TooLarge {
        url: String,
        /// The limit in bytes.
        limit: u64,
    },
    /// The body is not text, or a kind of text that is not supported.
    #[error("{url} is {content_type}; only HTML, plain text, Markdown and JSON pages are supported")]
    NotText {
        url: String,
        /// The media type that the server names, and what contradicts it.
        content_type: String,
    },
    /// The page has no text that a reader would see, such as one that a script fills in.
    #[error("{url} has no readable text")]
    Empty { url: String },
    /// The fetch took longer than the time limit.
    #[error("{url} was not fetched within {limit:?}")]
    Timeout {
        url: String,
        /// The time limit for the whole fetch.
        limit: Duration,
    },
    /// The server redirects too often.
    #[error("{url} redirects more than {limit} times")]
    TooManyRedirects {
        /// The URL that was requested first.
        url: String,
        /// The maximum number of redirects.
        limit: u8,
    },
    /// No secure connection: a bad certificate, or no TLS at all.
    #[error("no secure connection to {host}: {reason}")]
    Tls { host: String, reason: String },
    /// The name has no address, or no server answers there.
    #[error("{host} cannot be reached: {reason}")]
    Unreachable { host: String, reason: String },
    /// The response is not HTTP, ends too early, or cannot be parsed.
    #[error("{url} sent an invalid response: {reason}")]
    BadAnswer { url: String, reason: String },
    /// No HTTP client can be created on this machine.
    #[error("cannot create an HTTP client: {reason}")]
    NoClient { reason: String },
}

impl From<FetchError> for Failure {
    fn from(error: FetchError) -> Self {
        use FetchError as E;
        let kind = match &error {
            E::BadUrl { .. } | E::TooLarge { .. } | E::NotText { .. } | E::Empty { .. } => {
                ErrorKind::InvalidInput
            }
            E::SchemeNotAllowed { .. }
            | E::PortNotAllowed { .. }
            | E::NameNotAllowed { .. }
            | E::AddressNotAllowed { .. } => ErrorKind::PermissionDenied,
            E::NotFound { .. } => ErrorKind::NotFound,
            E::Status { status: 429, .. } => ErrorKind::RateLimited,
            E::Timeout { .. } => ErrorKind::Timeout,
            E::Status { .. }
            | E::TooManyRedirects { .. }
            | E::Tls { .. }
            | E::Unreachable { .. }
            | E::BadAnswer { .. } => ErrorKind::UpstreamError,
            E::NoClient { .. } => ErrorKind::Internal,
        };
        let detail = match &error {
            E::Status { status, .. } => Some(Json::from(serde_json::json!({ "status": status }))),
            _ => None,
        };
        Self {
            detail,
            ..Self::new(kind, error.to_string())
        }
    }
}

/// External text made safe for a message: no user info, no control or invisible characters, shortened.
pub(super) fn shown_text(text: &str) -> String {
    let text = without_user_info(text);
    shortened(&text.replace(is_hidden, "\u{fffd}"), MAX_SHOWN)
}

fn without_user_info(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else {
        return text.to_owned();
    };
    let end = rest.find(['/', '\\', '?', '#']).unwrap_or(rest.len());
    match rest[..end].rfind('@') {
        Some(at) => format!("{scheme}://{}", &rest[at + 1..]),
        None => text.to_owned(),
    }
}
