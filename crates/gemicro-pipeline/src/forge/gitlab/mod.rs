//! GitLab: gitlab.com and servers of one's own.
//!
//! The main type is [`GitLab`]. `wire` has the shapes of the API as far as they are used.

mod project;
mod protection;
mod wire;

pub(super) use project::GitLab;
