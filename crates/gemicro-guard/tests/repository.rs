//! Real repositories, real sandboxes, hostile agents: what must not come back does not, and the rest does.
//!
//! Nothing here skips itself: a machine without the tiers fails. As root everything that matters runs once more
//! as an ordinary user.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on stops where it is")]

#[path = "repository/attacks.rs"]
mod attacks;
#[path = "repository/cases.rs"]
mod cases;
#[path = "repository/intake.rs"]
mod intake;
#[path = "repository/intermediate.rs"]
mod intermediate;
#[path = "repository/lent.rs"]
mod lent;
#[path = "repository/merges.rs"]
mod merges;
#[path = "repository/open.rs"]
mod open;
#[path = "repository/ordinary_user.rs"]
mod ordinary_user;
#[path = "repository/outside.rs"]
mod outside;
#[path = "repository/plants.rs"]
mod plants;
#[path = "repository/pushes.rs"]
mod pushes;
#[path = "repository/questions.rs"]
mod questions;
#[path = "repository/remotes.rs"]
mod remotes;
#[path = "repository/repository_kinds.rs"]
mod repository_kinds;
#[path = "repository/restored.rs"]
mod restored;
#[path = "repository/reviews.rs"]
mod reviews;
#[path = "repository/tasks.rs"]
mod tasks;
#[path = "repository/view.rs"]
mod view;
#[path = "repository/world.rs"]
mod world;
