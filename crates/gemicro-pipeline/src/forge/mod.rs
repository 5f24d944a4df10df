//! Connects to forges (GitHub, GitLab): checks branch protection and submits a branch for merging.
//!
//! # Theory of operation
//!
//! [`recognise`] derives a [`ForgeAddress`] from a remote's address, without network access. [`open`] turns it into a
//! [`Forge`]; nothing is sent before the first call. `github` and `gitlab` build the calls, and `api` sends them,
//! retries where that is safe, and returns an answer or a [`ForgeError`]. `offering` creates merge requests in the
//! same way for all forges: look, create, and look again whenever the result is uncertain. So a request is never
//! created twice.
//!
//! Without a forge, [`local_request`] writes the text of the request. No branch is pushed here.

mod address;
mod api;
mod error;
mod forges;
mod github;
mod gitlab;
mod local_request;
mod offer;
mod offering;
mod open;
mod port;
mod protection;
mod token;

pub use address::{ForgeAddress, ForgeHosts, ForgeHostsError, ForgeKind, HostOrigin, recognise};
pub use error::ForgeError;
pub use forges::Forges;
pub use local_request::local_request;
pub use offer::{Offer, OfferResult, RequestState};
pub use open::open;
pub use port::Forge;
pub use protection::Protection;
pub use token::ForgeToken;
