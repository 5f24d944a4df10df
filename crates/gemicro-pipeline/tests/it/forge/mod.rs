//! Forges against scripted ones: every test asks GitHub and GitLab alike.

mod offering;
mod protection;
mod recognition;
mod secrets;
mod stage;
mod trouble;
