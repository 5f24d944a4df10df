//! GitHub: github.com and GitHub Enterprise.
//!
//! The main type is [`GitHub`]. `wire` has the shapes of the API as far as they are used.

mod protection;
mod repository;
mod wire;

pub(super) use repository::GitHub;
