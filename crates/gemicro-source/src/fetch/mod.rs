//! Web pages as documents: [`Fetcher`], under strict rules on addresses.
//!
//! # Theory of operation
//!
//! A URL may come from a model or from a page, so nothing about it is trusted. Each hop goes the same way:
//!
//! 1. `target`: the text is parsed as a browser would, and scheme, user info, name, port and written
//!    addresses are checked;
//! 2. `lookup`: a name is resolved once, by us, and every address of the answer is checked (`address`);
//! 3. `client`: the connection goes to those addresses and no others; no proxy, cookie, referer or retry;
//! 4. `fetcher`: a redirect starts again at 1; a body is read up to the limit;
//! 5. `page`: the body is decoded and parsed like a file, and parts that no reader sees are in no block.
//!
//! One time limit covers all hops. A host that the user lists (`rules`) may be reached over http and at a
//! private address, that host and port only. What may be fetched at all, and whether a URL carries data
//! away in its query, is for the caller to decide.

/// Which IP addresses are refused.
mod address;
/// The encoding that a page names for itself.
mod charset;
/// The HTTP client and its checked connections.
mod client;
/// Why a page could not be fetched.
mod error;
/// From a URL to a page.
mod fetcher;
/// From names to addresses.
mod lookup;
/// From a body to a document.
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
