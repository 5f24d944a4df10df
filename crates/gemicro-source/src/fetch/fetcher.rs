//! Fetches the page of a URL: [`Fetcher`].
//!
//! Redirects are followed here, each checked like a URL from the caller. Nothing is retried.

use std::fmt;
use std::sync::{Arc, OnceLock};

use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, LOCATION};
use reqwest::{Client, Response, StatusCode};
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::client::{ask, broken_answer, build};
use super::error::{FetchError, shown_text};
use super::lookup::{Lookup, SystemLookup, addresses_of};
use super::page::{Body, FetchedPage, MediaType};
use super::rules::FetchRules;
use super::target::Target;

/// Fetches web pages under rules. Cheap to create: the HTTP client is built for the first connection.
pub struct Fetcher {
    rules: FetchRules,
    lookup: Arc<dyn Lookup>,
    pub(super) client: OnceLock<Client>,
}

impl Fetcher {
    /// A fetcher that asks the operating system for addresses.
    #[must_use]
    pub fn new(rules: FetchRules) -> Self {
        Self::with_lookup(rules, Arc::new(SystemLookup))
    }

    /// A fetcher with its own source of addresses; they are checked all the same.
    #[must_use]
    pub fn with_lookup(rules: FetchRules, lookup: Arc<dyn Lookup>) -> Self {
        Self {
            rules,
            lookup,
            client: OnceLock::new(),
        }
    }

    /// Fetches one page and turns it into a document.
    ///
    /// # Errors
    /// When the rules forbid it, or there is no page, or it has no text; see [`FetchError`].
    pub async fn fetch(&self, url: &str) -> Result<FetchedPage, FetchError> {
        let limit = self.rules.timeout;
        match timeout(limit, self.fetch_in_time(url)).await {
            Ok(outcome) => outcome,
            Err(_) => Err(FetchError::Timeout {
                url: shown_text(url),
                limit,
            }),
        }
    }

    async fn fetch_in_time(&self, asked: &str) -> Result<FetchedPage, FetchError> {
        let mut target = Target::parse(&self.rules, asked)?;
        let mut n_redirects = 0;
        loop {
            let addresses = addresses_of(&*self.lookup, &target).await?;
            let response = ask(self.client()?, &target, addresses).await?;
            let Some(location) = redirect_of(&target, &response)? else {
                let body = self.read(&target, response).await?;
                return page_of(asked.to_owned(), target, body).await;
            };
            if n_redirects == self.rules.max_redirects {
                return Err(FetchError::TooManyRedirects {
                    url: shown_text(asked),
                    limit: self.rules.max_redirects,
                });
            }
            n_redirects += 1;
            target = target.follow(&self.rules, &location)?;
        }
    }

    fn client(&self) -> Result<&Client, FetchError> {
        match self.client.get() {
            Some(client) => Ok(client),
            None => {
                let client = build()?;
                Ok(self.client.get_or_init(|| client))
            }
        }
    }

    /// Reads the body of a response that contains text.
    async fn read(&self, target: &Target, mut response: Response) -> Result<Body, FetchError> {
        let url = || shown_text(target.url.as_str());
        let media_type = media_type_of(response.headers()).map_err(|content_type| FetchError::NotText {
            url: url(),
            content_type,
        })?;
        let limit = self.rules.max_bytes;
        let too_large = || FetchError::TooLarge { url: url(), limit };
        if response.content_length().is_some_and(|n_bytes| n_bytes > limit) {
            return Err(too_large());
        }
        let mut bytes = Vec::new();
        while let Some(chunk) = response
            .chunk()
            .await
            .map_err(|error| broken_answer(target, &error))?
        {
            if (bytes.len() + chunk.len()) as u64 > limit {
                return Err(too_large());
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(Body { media_type, bytes })
    }
}

impl fmt::Debug for Fetcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fetcher")
            .field("rules", &self.rules)
            .finish_non_exhaustive()
    }
}

/// The target of a redirect, or `None` if the response contains a page.
fn redirect_of(target: &Target, response: &Response) -> Result<Option<String>, FetchError> {
    let url = || shown_text(target.url.as_str());
    let status = response.status();
    let location = header(response.headers(), &LOCATION);
    match (status, location) {
        (StatusCode::OK | StatusCode::NON_AUTHORITATIVE_INFORMATION, _) => Ok(None),
        (StatusCode::NOT_FOUND | StatusCode::GONE, _) => Err(FetchError::NotFound { url: url() }),
        (
            StatusCode::MOVED_PERMANENTLY
            | StatusCode::FOUND
            | StatusCode::SEE_OTHER
            | StatusCode::TEMPORARY_REDIRECT
            | StatusCode::PERMANENT_REDIRECT,
            Some(location),
        ) => Ok(Some(location)),
        _ => Err(FetchError::Status {
            url: url(),
            status: status.as_u16(),
        }),
    }
}

/// The media type, if this kind of text is supported; the error describes the actual one.
fn media_type_of(headers: &HeaderMap) -> Result<MediaType, String> {
    let content_type = header(headers, &CONTENT_TYPE).unwrap_or_default();
    let media_type = MediaType::parse(&content_type)?;
    match header(headers, &CONTENT_ENCODING) {
        Some(encoding) if !encoding.trim().eq_ignore_ascii_case("identity") => Err(format!(
            "{} compressed with {}",
            media_type.essence,
            shown_text(&encoding)
        )),
        _ => Ok(media_type),
    }
}

/// The first value of a header, with invalid text replaced.
fn header(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let value = headers.get(name)?;
    Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
}

/// Parses a page on a separate thread, because a large one takes a while. It stops early when the time limit drops this
/// future, and with it the receiver.
async fn page_of(asked: String, target: Target, body: Body) -> Result<FetchedPage, FetchError> {
    let url = target.url.to_string();
    let (tx, rx) = oneshot::channel();
    spawn_blocking(move || {
        let page = body.into_page(asked, &target.url, &|| !tx.is_closed());
        // Fails only after the time limit, when no caller waits any more.
        let _ = tx.send(page);
    });
    rx.await.unwrap_or_else(|_| {
        Err(FetchError::BadAnswer {
            url: shown_text(&url),
            reason: "its parser failed".to_owned(),
        })
    })
}
