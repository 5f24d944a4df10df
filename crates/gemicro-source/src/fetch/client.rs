//! The HTTP client and its checked connections: [`ask`] sends one request to checked addresses.
//!
//! The addresses are passed through a task-local variable: the client's own resolver, [`CheckedResolver`], knows no
//! others, so an unchecked connection cannot be made. Connections are not reused.

use std::error::Error;
use std::future;
use std::io;
use std::iter;
use std::net::SocketAddr;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, HeaderMap, HeaderValue};
use reqwest::{Client, Response, retry};

use super::error::{FetchError, shown_text};
use super::target::{Target, bad_url};

const USER_AGENT: &str = concat!("gemicro/", env!("CARGO_PKG_VERSION"));
const ACCEPTED: &str = "text/html, text/plain, text/markdown, application/xhtml+xml, application/json";

/// The addresses that the current task may connect to.
#[derive(Clone)]
struct AllowedAddresses {
    host: String,
    addresses: Vec<SocketAddr>,
}

tokio::task_local! {
    static CHECKED: AllowedAddresses;
}

/// Returns only the addresses that were checked for this task.
struct CheckedResolver;

impl Resolve for CheckedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let checked = CHECKED.try_with(Clone::clone).ok();
        let answer = match checked.filter(|checked| checked.host == name.as_str()) {
            Some(checked) => Ok(Box::new(checked.addresses.into_iter()) as Addrs),
            None => Err("its addresses were not checked".into()),
        };
        Box::pin(future::ready(answer))
    }
}

/// Builds the client. It reads the certificates that this machine trusts, but connects to nothing.
pub(super) fn build() -> Result<Client, FetchError> {
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static(ACCEPTED));
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    gemicro_client::builder()
        .user_agent(USER_AGENT)
        .default_headers(headers)
        .dns_resolver(CheckedResolver)
        // A proxy would resolve the name again; a redirect, a retry or a reused connection would bypass our checks.
        .no_proxy()
        .retry(retry::never())
        .pool_max_idle_per_host(0)
        .referer(false)
        .http1_only()
        // Another crate of the build may enable these features.
        .no_gzip()
        .no_brotli()
        .no_deflate()
        .no_zstd()
        .build()
        .map_err(|error| FetchError::NoClient {
            reason: innermost(&error),
        })
}

/// Sends one request to the first of the addresses that answers; returns the response before its body is read.
pub(super) async fn ask(
    client: &Client,
    target: &Target,
    addresses: Vec<SocketAddr>,
) -> Result<Response, FetchError> {
    let checked = AllowedAddresses {
        host: target.host.to_string(),
        addresses,
    };
    let answer = CHECKED
        .scope(checked, client.get(target.url.clone()).send())
        .await;
    answer.map_err(|error| request_error(target, &error))
}

fn request_error(target: &Target, error: &reqwest::Error) -> FetchError {
    let host = target.host.to_string();
    let reason = innermost(error);
    if error.is_builder() {
        bad_url(target.url.as_str(), &reason)
    } else if !error.is_connect() {
        broken_answer(target, error)
    } else if target.url.scheme() == "https" && is_tls(error) {
        FetchError::Tls { host, reason }
    } else {
        FetchError::Unreachable { host, reason }
    }
}

/// The error for a response that does not begin or end as HTTP should.
pub(super) fn broken_answer(target: &Target, error: &reqwest::Error) -> FetchError {
    FetchError::BadAnswer {
        url: shown_text(target.url.as_str()),
        reason: innermost(error),
    }
}

/// Whether this is a TLS error: rustls reports with these kinds, other connection failures have different ones.
fn is_tls(error: &reqwest::Error) -> bool {
    sources(error).any(|error| {
        let kind = error.downcast_ref::<io::Error>().map(io::Error::kind);
        matches!(
            kind,
            Some(io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof)
        )
    })
}

fn innermost(error: &reqwest::Error) -> String {
    let last = sources(error).last();
    shown_text(&last.map_or_else(|| error.to_string(), ToString::to_string))
}

/// The errors behind an error, outermost first. An I/O error hides the one it wraps from `source`.
fn sources(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    iter::successors(error.source(), |error: &&(dyn Error + 'static)| {
        let error = *error;
        match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(wrapped) => Some(wrapped as &(dyn Error + 'static)),
            None => error.source(),
        }
    })
}
