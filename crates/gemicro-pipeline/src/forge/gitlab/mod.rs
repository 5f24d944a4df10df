//! GitLab: gitlab.com and self-hosted servers.
//!
//! The main type is [`GitLab`]. `wire` holds the parts of the API that are used.

mod project;
mod protection;
mod wire;

pub(super) use project::GitLab;
