//! GitHub: github.com and GitHub Enterprise.
//!
//! The main type is [`GitHub`]. `wire` holds the parts of the API that are used.

mod protection;
mod repository;
mod wire;

pub(super) use repository::GitHub;
