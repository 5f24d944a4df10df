//! The Interactions API: snake case, typed steps, its own errors, state on the server.
//!
//! `check` refuses what the service refuses, `input` reads what is left, `steps` and `events` write answers
//! whole and in pieces, `stored` keeps them, `create` and `existing` are the endpoints.

mod check;
mod create;
mod events;
mod existing;
mod input;
mod steps;
mod stored;

pub(crate) use create::create;
pub(crate) use existing::{cancel, delete, fetch};
pub(crate) use input::call;
pub(crate) use stored::{InteractionStore, PreviousTurns};
