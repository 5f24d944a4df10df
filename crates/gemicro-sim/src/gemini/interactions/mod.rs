//! The Interactions API: snake case, typed steps, its own error format, state on the server.
//!
//! `check` rejects what the service rejects, `input` reads the request, `steps` and `events` format complete and
//! streamed answers, `stored` keeps them, and `create` and `existing` are the endpoints.

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
