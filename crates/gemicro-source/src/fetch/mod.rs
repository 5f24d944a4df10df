//! Fetches web pages as documents, under strict rules on addresses: [`Fetcher`].
//!
//! # Theory of operation
//!
//! A URL may come from a model or from a page, so nothing about it is trusted. Each hop takes these steps:
//!
//! 1. `target`: the text is parsed as a browser would, and scheme, user info, name, port and written
//!    addresses are checked;
//! 2. `lookup`: a name is resolved once, by us, and every address of the answer is checked
//!    ([`gemicro_client::address_refusal`]);
//! 3. `client`: the connection goes to those addresses and no others; no proxy, cookie, referer or retry;
//! 4. `fetcher`: a redirect starts again at 1; a body is read up to the limit;
//! 5. `page`: the body is decoded and parsed like a file, and parts that no reader sees are in no block.
//!
//! One time limit covers all hops. A host that the user lists (`rules`) may be reached over http and at a private
//! address, but only with that name and port. The caller decides which URLs may be fetched at all, including whether a
//! query string leaks data.

/// The encoding that a page declares for itself.
mod charset;
/// The HTTP client and its checked connections.
mod client;
/// Why a page could not be fetched.
mod error;
/// Fetches the page of a URL.
mod fetcher;
/// Resolves names to addresses.
mod lookup;
/// Turns a body into a document.
mod page;
/// What may be fetched.
mod rules;
/// A URL that passed the rules.
mod target;

#[cfg(test)]
mod tests;

pub use error::FetchError;
pub use fetcher::Fetcher;
pub use gemicro_core::corpus::is_url;
pub use lookup::{Lookup, SystemLookup};
pub use page::FetchedPage;
pub use rules::{AllowedHost, BadAllowedHost, FetchRules};
