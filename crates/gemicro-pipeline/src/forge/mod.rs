//! Forges behind one port: is a branch protected, and offer a branch for merging. GitHub, GitLab, or a text for people.
//!
//! # Theory of operation
//!
//! [`recognise`] makes a [`ForgeAddress`] of a remote's address, without asking anybody. [`open`] makes a [`Forge`] of
//! it; nothing is sent before the first question. Every question goes one way: the forge says what it asks (`github`,
//! `gitlab`), `api` sends it, waits and tries again where that is safe, and turns what came into an answer or a
//! [`ForgeError`]. A request to merge is made in `offering`, the same way for all forges: look, create, and look again
//! whenever it is not certain what happened. So a request is never made twice.
//!
//! Where there is no forge, [`local_request`] writes the text of the request. No branch is pushed here.

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
